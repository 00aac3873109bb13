// Finds vital requests (of kube-system, of controllers) that certainly reach a webhook.
//
// Idea: a finding needs one request that certainly reaches the webhook, so what is not known about a request (labels,
// fields) counts as keeping it away. Selectors see the labels that are known: a namespace always has
// kubernetes.io/metadata.name. The vital requests are those without which pods that stopped do not come back, each with
// the user who makes it. Limits: Equivalent matching and resourceNames are left out.
// Source of behaviour: apiserver pkg/admission/plugin/webhook/generic (ShouldCallHook), .../mutating/dispatcher.go (one
// after the other), .../validating/dispatcher.go (at once), pkg/endpoints/handlers/rest.go (requestTimeoutUpperBound).
// Tested by admission/foresight/hook_test.cc, tests/cli/webhook_checks.txt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/data.h"
#include "admission/foresight/condition.h"
#include "admission/foresight/known_request.h"

namespace portcullis::foresight {

// The time that the API server gives a request that writes, with all its webhooks.
inline constexpr int64_t kRequestSeconds = 34;

// A webhook of a configuration, decoded.
struct Hook {
  // `conditions`: those of the webhook that compile. Without one that does not, `judged` is false.
  Hook(const Data& webhook, bool mutating, std::vector<Condition> conditions);

  std::string name;
  bool mutating;
  bool fails;  // failurePolicy Fail
  int64_t timeout_seconds;
  std::string service_namespace;  // empty: called by URL
  MatchRules rules;
  std::vector<Condition> conditions;
  bool judged;  // all conditions are among `conditions`
};

// Labels of a namespace or an object.
struct KnownLabels {
  std::map<std::string, std::string, std::less<>> labels;
  bool all = false;  // it has no others
};

// Whether every request of a sort reaches the webhook, in a namespace and for an object with these labels. Resource,
// subresource and namespace of the request are known; it is none for a namespace.
bool certainly_reached(const Hook& hook, const KnownRequest& request, const KnownLabels& of_namespace,
                       const KnownLabels& of_object, Context& context);

// A request that pods of a namespace need to come back.
struct VitalRequest {
  Operation operation;
  ServedResource resource;
  std::string_view username;  // empty: several users
  std::string_view groups[3];
  std::string_view without;  // what becomes of the pods without it: "cannot be created"
};

// The first vital request in a namespace that certainly reaches the webhook; null if none does.
const VitalRequest* obstructed(const Hook& hook, std::string_view namespace_name,
                               const KnownLabels& of_namespace, Context& context);

// What the webhooks that one request certainly reaches may take, if none of them answers in time.
struct Wait {
  KnownRequest request;
  std::vector<const Hook*> mutating;  // one after the other
  const Hook* validating = nullptr;   // of those that are asked at once, the one with the longest timeout
  int64_t seconds = 0;
};

// The longest wait of any request for a served resource, if it is longer than kRequestSeconds. `hooks`: in the order in
// which the API server calls them.
std::optional<Wait> longest_wait(std::span<const Hook> hooks, const ServedResources& served,
                                 Context& context);

}  // namespace portcullis::foresight
