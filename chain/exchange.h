// What passes between the API server and a webhook: HTTP requests, answers, and the interface to whatever
// sends them.
//
// Idea: the chain knows no network and no clock. An Asker sends one request and tells the time, so recorded
// answers, tests and the network are the same to it. Tested by chain/rest_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/result.h"

namespace portcullis::chain {

struct HttpRequest {
  std::string_view url;   // with its query: "https://a.ns.svc:443/validate?timeout=10s"
  std::string_view body;  // an AdmissionReview
  bool post = true;       // false: a GET without body, to which a redirection may turn a call
};

// An HTTP answer, or what went wrong.
struct HttpAnswer {
  int code = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string error;  // there is no answer; Go's text: "dial tcp 10.0.0.1:443: connect: connection refused"
  std::string body_error;  // the body ends too early; Go's text: "unexpected EOF"

  // The first header of this name, in any case of letters, without spaces around it; empty if there is none.
  std::string_view header(std::string_view name) const;
};

// The error of a request without an answer in time, and the error of a body that is not there in time.
inline constexpr std::string_view kDeadlineExceeded = "context deadline exceeded";

// Sends requests and tells the time. Times are nanoseconds since any start that does not change.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual int64_t now() = 0;
  // Returns at `time`, or at once if that is past.
  virtual void wait_until(int64_t time) = 0;
  // Sends `request` and returns its answer, at `deadline` with kDeadlineExceeded; what comes later counts as that
  // error. Follows no redirections and repeats nothing.
  virtual HttpAnswer send(const HttpRequest& request, int64_t deadline) = 0;
};

// A new UUID of version 4, from the randomness of the system.
std::string random_uid();

// A webhook as its callers know it. Views live until the next request.
struct Target {
  std::string_view configuration, webhook;
  std::string_view uid;  // tells the webhook from all others of its sort: "configuration/webhook/0"
  bool mutating = false;
  std::string_view ca_bundle;                        // PEM; empty: the roots of the system
  std::string_view service_namespace, service_name;  // empty: it has a URL
  int64_t service_port = 0;
};

// Chooses who asks a webhook.
class Callers {
 public:
  virtual ~Callers() = default;
  // Sends the requests of one call; null: nobody asks, so the answer stays unknown. An error is what the API
  // server says behind `could not get REST client: `. Owned by the callers, valid until the next call (see at_once).
  virtual Result<Asker*> caller(const Target& target) = 0;
  // A new uid for an AdmissionReview.
  virtual std::string new_uid() = 0;
  // Whether several threads may use the askers at once. If so, validating webhooks are asked at once, as by the API
  // server, and an asker stays valid until the next mutating webhook is called or the next request begins. If not, they
  // are asked one after the other.
  virtual bool at_once() const { return false; }
};

}  // namespace portcullis::chain
