// Answers requests: an AdmissionReview for the policies, without a network.
//
// Idea: everything that a request can be answered with is here, so that it can be tested and fuzzed; session.h
// only moves bytes. What is no AdmissionReview gets a 4xx with a metav1.Status, as from an API server. What the
// server itself cannot do (no policies, overload, a deadline that has passed) is an error too, unless --fail-open
// says that such requests are admitted, with a warning.
// Source of behaviour: apiserver pkg/admission/plugin/webhook (what the API server sends and reads),
// reference/conventions.md. Tested by tests/server/run.py, fuzz/webhook.cc.
#pragma once

#include <portcullis/admission.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "server/cluster_policies.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/options.h"
#include "server/policies.h"

namespace portcullis::server {

using Clock = std::chrono::steady_clock;

// Names that the log has told once.
class ToldOnce {
 public:
  // Whether `name` is new. Beyond a hundred names none is.
  bool first(std::string_view name);

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> told_;
};

// What all workers share. All of it outlives them.
struct Service {
  const Options& options;
  Log& log;
  AuditLog& audit;
  Metrics& metrics;
  Policies& policies;
  Sampler& denials;
  ClusterPolicies* cluster = nullptr;  // where the policies come from; null: files
  ToldOnce unknown_kinds = {}, unknown_namespaces = {};
  Sampler too_large{10};  // lines a second about requests that are too large
};

struct Response {
  unsigned status = 200;
  std::string_view type = "application/json";
  std::string_view body;        // lives in the Handler until its next answer
  std::string_view allow = {};  // the header Allow, of status 405
  bool retry = false;           // with the header Retry-After: 1
  // If not empty: the set does not have this namespace, and the cluster is to be asked for it first. Lives as `body`,
  // which is empty then.
  std::string_view unknown_namespace = {};
};

// A request, as far as its header says it.
struct RequestHead {
  std::string_view method, target, content_type, content_encoding = {};
  Clock::time_point first_byte = Clock::now();  // when it began to arrive
};

// A duration as Go reads it, "10s", "1m30s", "500ms"; nothing if the text is not a duration, or is negative.
std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text);

// The memory of one thread, and its answers.
class Handler {
 public:
  explicit Handler(Service& service);

  // The refusal of a request by its header; nothing if its body is wanted.
  std::optional<Response> refuse(const RequestHead& request);
  // The answer to a request whose body was complete at `arrived`. Counts and logs it, unless it has an
  // `unknown_namespace`: then the cluster is to be asked, and `answer_with` gives the answer. `why`: as of Namespaces.
  Response answer(const RequestHead& request, std::string_view body, Clock::time_point arrived);
  Response answer_with(std::string_view why, const RequestHead& request, std::string_view body,
                       Clock::time_point arrived);
  // The answer if there are too many requests. Counts it.
  Response too_many(const RequestHead& request, std::string_view body);
  // The answer to a body that is over the limit. `size`: as its header says it, if it does. Counts and logs it.
  Response too_large(const RequestHead& request, std::optional<uint64_t> size);
  // The answer to bytes that are no request, a metav1.Status. Counts it.
  Response refuse_bytes(unsigned status, std::string_view reason, std::string_view message);

 private:
  // As at first, without the memory of the last review.
  void renew_context();
  Response refuse_size(Undecided why, const RequestHead& request, const std::string& details);
  Response error(unsigned status, std::string_view reason, std::string_view message);
  Response undecided(Undecided why, std::string_view body, std::string_view details = {});
  Response decide(const RequestHead& request, std::string_view body, Clock::time_point arrived, bool asks);
  Response review(const PolicySet& set, const RequestHead& request, std::string_view body, bool asks);
  std::string form_error(std::string_view body);
  bool lacks_namespace(const v1::JsonAnswer& answer, const PolicySet& set) const;
  Response refuse_namespace(v1::JsonAnswer answer, const RequestHead& request, std::string_view body,
                            const PolicySet& set);
  void tell(const v1::JsonAnswer& answer, std::string_view path, const PolicySet& set);
  void tell_denial(const v1::JsonAnswer& answer);

  Service& service_;
  KeptPolicies policies_;
  Tally tally_;
  v1::Context context_;
  JsonReader reader_;
  Arena arena_;
  std::string text_, line_;
};

}  // namespace portcullis::server
