// Whether a request reaches a webhook of a configuration.
//
// Idea: a webhook matches as a policy does (matching/matching.h, conditions.h), but its selectors come before
// its rules, no rule matches nothing, and its errors are Statuses. Who is called, and what becomes of the
// answer, is the work of chain/. Source of behaviour: apiserver pkg/admission/plugin/webhook/generic
// (ShouldCallHook), .../webhook/accessors.go. Tested by tests/admission/webhooks, tests/oracle/random_webhooks.py.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "admission/engine/loaded.h"
#include "admission/engine/reach.h"
#include "admission/engine/stage.h"

namespace portcullis {

// Whether a request reaches a webhook, and why not.
struct WebhookMatch {
  enum class Why : uint8_t {
    Called,
    NamespaceSelector,  // the selector does not select the namespace
    ObjectSelector,     // nor the object or the old object
    Rules,              // no rule matches
    ConditionFalse,     // the match condition `condition` is false
    ConditionError,     // a match condition failed, and failurePolicy ignores it
    Refused,            // the request is refused: `status`
    Exempt,             // webhooks never see such a request
  };
  Why why = Why::Rules;
  GroupVersionKind kind;  // of the call, if Called
  GroupVersionResource resource;
  int condition = -1;
  std::string_view error;  // of ConditionError
  // Its texts live in the memory of the matcher until the next request.
  Status status;
};

// The objects of a request at one version.
struct WebhookObjects {
  Value object, old_object;
};

// Decides about the webhooks of one request after the other. The trace of `context` receives match conditions, with
// the webhook's uid as the name of the policy. Uses the memory of `context` for reviews, so a review
// invalidates what it returned.
class WebhookMatcher {
 public:
  WebhookMatcher(const Engine& engine, ReviewContext& context);

  // Starts a request, or goes on with it after a webhook changed its object. Selectors see the objects of
  // `request`, which must outlive the decisions.
  void begin(const AdmissionRequest& request);
  // `objects`: converts the objects of the request; called only for match conditions.
  WebhookMatch match(const LoadedWebhook& webhook,
                     const std::function<WebhookObjects(const GroupVersionKind&)>& objects);
  // Why the rules or selectors of a webhook do not match the request as it is now; empty if they do.
  Misfit misfit(const LoadedWebhook& webhook) const;

 private:
  bool conditions_hold(const LoadedWebhook& webhook, const WebhookObjects& objects, WebhookMatch& out);

  const Engine::Loaded& loaded_;
  ReviewContext& context_;
  const AdmissionRequest* request_ = nullptr;
  MatchScene scene_;
  std::vector<Evaluation> evaluations_;
  std::vector<std::string_view> texts_;
};

}  // namespace portcullis
