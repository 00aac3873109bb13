// WebhookCaller: asks the webhooks of an admission chain (Engine::admit).
//
// The library decides which webhooks a request reaches, what they are sent and what their answers mean; it knows no
// network. An embedder that can ask them derives from WebhookCaller and gives the object to its Contexts (admission.h).
// Redirections, repetitions after Retry-After, timeouts and failure policies are the work of the library.
// Source of behaviour: apiserver pkg/util/webhook, client-go rest. Tested by library/webhooks_test.cc and tests/client.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::v1 {

// A webhook of a configuration. Views are valid during the call.
struct Webhook {
  std::string_view configuration, name;
  bool mutating = false;       // of a MutatingWebhookConfiguration
  std::string_view ca_bundle;  // PEM of the roots to trust; empty: those of the system
  // Its clientConfig.service: an embedder outside of the cluster can reach it in another way. The certificate of its
  // server is for NAME.NAMESPACE.svc all the same, the host of the URL. Empty and 0: it has a URL.
  std::string_view service_namespace, service_name;
  int service_port = 0;
};

// What to send. A POST has the header `Content-Type: application/json`, and every request `Accept: application/json,
// */*`. Views are valid during the call.
struct HttpRequest {
  std::string_view url;   // "https://NAME.NAMESPACE.svc:443/path?timeout=10s" for a service
  std::string_view body;  // an AdmissionReview as JSON
  bool post = true;       // false: a GET without body, to which a redirection may turn the call
};

// What came back. Texts of errors stand in the messages of failures, where the API server has those of Go.
struct HttpAnswer {
  int code = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};  // Content-Type, Location, Retry-After count
  std::string body = {};
  std::string error = {};       // there is no answer: "dial tcp 10.0.0.1:443: connect: connection refused"
  std::string body_error = {};  // the body ended too early: "unexpected EOF"
};

class WebhookCaller {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~WebhookCaller();

  // Whether this webhook is asked; if not, its answer is unknown (WebhookResult::Kind::Unknown). By default all are.
  virtual bool asks(const Webhook& webhook);
  // Sends one HTTP request and returns its answer; follows no redirections and repeats nothing. If there is none at
  // `deadline`, returns with the error "context deadline exceeded" (in `body_error` if only the body is late). The
  // library cannot end the call: an answer that comes when `now()` has reached `deadline` counts as that error. The
  // caller must bound the size of an answer; a body that is cut has a `body_error`. Called by the thread of the review,
  // unless `at_once`. Must throw nothing but std::bad_alloc, which `admit` passes on when all calls on their way have
  // ended. Must be thread-safe if contexts of several threads use it.
  virtual HttpAnswer send(const Webhook& webhook, const HttpRequest& request, Time deadline) = 0;

  // Whether several threads may call `send`, `now` and `wait_until` at once. If so, the validating webhooks that a
  // request reaches are asked at once, as by the API server: by the thread of the review and up to 63 more, which end
  // before `admit` returns. If not, the default, they are asked one after the other. The decision is the same:
  // verdict, warnings and annotations keep the order of the configurations.
  virtual bool at_once() const;

  // The clock of deadlines, and a pause that a webhook asks for with Retry-After, which ends at `time` at the latest.
  // By default the steady clock and a sleep; tests may replace both.
  virtual Time now();
  virtual void wait_until(Time time);
};

}  // namespace portcullis::v1
