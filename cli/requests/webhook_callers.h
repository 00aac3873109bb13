// Where the answers of webhooks come from: nobody, the network, files that --record wrote, or a suite of tests.
//
// Idea: one file per webhook and request, DIR/CONFIGURATION/WEBHOOK/OPERATION_RESOURCE_NAMESPACE_NAME.json, with what
// was sent (for people) and `answers` (chain/replay.h), one for each call: a redirection, a repetition and the second
// pass are calls of their own. Tested by tests/cli/webhooks.txt.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/objects/request.h"
#include "chain/exchange.h"
#include "chain/replay.h"
#include "http/client.h"

namespace portcullis {

// What webhooks answer, by their names: one answer for each call, of which the last one stays.
using WebhookAnswers = std::map<std::string, std::vector<chain::WrittenAnswer>, std::less<>>;
// The mode in which answers come from give().
inline constexpr std::string_view kGivenAnswers = "given";

// The options of a command about webhooks; see --help.
struct WebhookOptions {
  std::string mode = "note";  // note, call, recorded=DIR, and kGivenAnswers
  std::string record;
  std::vector<std::string> addresses;  // NAME=HOST:PORT
  std::string certificate, key;        // PEM files
};

class WebhookCallers final : public chain::Callers {
 public:
  // Says what is wrong with them; see ok().
  explicit WebhookCallers(const WebhookOptions& options);
  ~WebhookCallers() override;

  bool ok() const { return ok_; }
  // Whether webhooks are asked at all: --webhooks is not `note`.
  bool asks() const { return mode_ != Mode::Note; }

  // Starts a request; writes the record of the one before. Does nothing if webhooks are not asked, so that threads may
  // share this then.
  void begin(const AdmissionRequest& request);
  // Writes the last record. False if one could not be written, which it says.
  bool finish();
  // The first file, or the first webhook, that lacks an answer of this request; empty if none does.
  const std::string& missing() const { return missing_; }
  std::string_view missing_hint() const;

  // The answers to the requests from now on; recorded ones are counted anew.
  void give(const WebhookAnswers* answers) {
    given_ = answers;
    keys_.clear();
  }
  // The next request is the last one again.
  void again() { keys_[name_]--; }
  // What written answers were given to in this request: the calls of mutating webhooks in their order, then those of
  // validating ones by name.
  struct Call {
    std::string webhook;
    chain::Replay::Sent sent;
    bool mutating;
  };
  std::vector<Call> calls();

  Result<chain::Asker*> caller(const chain::Target& target) override;
  std::string new_uid() override;
  bool at_once() const override { return mode_ == Mode::Call; }

 private:
  enum class Mode { Note, Call, Recorded, Given };
  class Recorder;

  void fail(std::string_view text);
  void check_certificate(const std::string& certificate, const std::string& key);
  std::string file_of(std::string_view directory, const chain::Target& target) const;
  struct Written;
  Result<chain::Asker*> replay(const chain::Target& target);
  std::unique_ptr<Written> given(const chain::Target& target);
  std::unique_ptr<Written> recorded(const std::string& file);
  std::unique_ptr<Written> serving(const std::vector<chain::WrittenAnswer>& answers);
  void note_calls();
  Result<chain::Asker*> client(const chain::Target& target);

  Mode mode_ = Mode::Note;
  bool ok_ = true;
  std::string directory_, record_;  // of recorded answers; of --record
  const WebhookAnswers* given_ = nullptr;
  http::Options http_;
  std::map<std::string, std::unique_ptr<chain::Asker>, std::less<>> clients_;  // by trusted certificates
  // Of the present request:
  std::string name_, key_;  // "CREATE_deployments.apps_shop_cart"; of repeated ones with their number
  std::string uid_, missing_;
  std::map<std::string, std::unique_ptr<Written>> written_;  // answers, by file or webhook
  Written* last_ = nullptr;                                  // of them that was asked for
  std::vector<Call> calls_;
  std::map<std::string, std::unique_ptr<Recorder>> recorders_;  // by file
  std::map<std::string, int> keys_;                             // how often a key came
};

}  // namespace portcullis
