// Recorded or given answers of webhooks, in place of a network: given in a request of the batch protocol, or recorded
// earlier.
//
// Idea: a list of answers to successive calls, of which the last one stays. Each is a JSON object with the
// fields of `responses` in the batch protocol: `code`, `headers`, `body` or `text`, `delayMs`, `refuse`; `$UID`
// in a body stands for the uid of the review. Recording adds `error` and `bodyError`, as in HttpAnswer. Time
// passes only where an answer or the chain says so.
// Source of behaviour: the server of the oracle (hookserver.go), Go 1.26 net/http server.go. Tested by
// chain/replay_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/objects/document.h"
#include "chain/exchange.h"
#include "grammar/result.h"

namespace portcullis::chain {

struct WrittenAnswer {
  int code = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> text;  // the body; without one, a review that allows
  bool json = false;                // its Content-Type, unless `headers` has one, is JSON, else text
  int64_t delay_ms = 0;
  bool refuse = false;  // the connection
  std::string error, body_error;
};

// Reads one answer, or a list of them. An empty list, as null, stands for an answer that allows. An error names
// the field that cannot be read.
Result<std::vector<WrittenAnswer>> read_answers(const Document& given);

// Appends `answer` as read_answers reads it, with `$UID` for each `uid` in its body.
void write_answer(std::string& out, const HttpAnswer& answer, std::string_view uid);

// Serves written answers to the calls of one webhook.
class Replay : public Asker {
 public:
  struct Sent {
    std::string path;    // with the query: "/validate?timeout=10s"
    std::string review;  // the body; empty if a redirection dropped it
  };

  // `answers` must outlive it. `uid`: of the reviews that are sent. `of_all`: they are those of all servers that are
  // asked, also by plain HTTP; else one server of HTTPS gives them.
  Replay(std::span<const WrittenAnswer> answers, std::string_view uid, bool of_all = false)
      : answers_(answers), uid_(uid), of_all_(of_all) {}

  int64_t now() override { return time_; }
  void wait_until(int64_t time) override;
  HttpAnswer send(const HttpRequest& request, int64_t deadline) override;

  // The requests that reached the server: those that were refused did not.
  const std::vector<Sent>& sent() const { return sent_; }

 private:
  std::string body(const WrittenAnswer& written, std::string_view review) const;

  std::span<const WrittenAnswer> answers_;
  std::string uid_;
  bool of_all_;
  size_t turn_ = 0;
  int64_t time_ = 0;
  std::vector<Sent> sent_;
};

}  // namespace portcullis::chain
