// The front door of chain/: the whole admission chain of one request, as far as objects configure it.
//
// Idea: mutating policies, mutating webhooks, both again where reinvocation wants it; on the result validating
// policies, then validating webhooks. The engine decides who is reached (admission/engine/webhooks.h); what
// webhooks answer comes from the Callers, so this folder knows no network.
//
// Files in reading order: exchange.h (what is sent and received), review_request.h (the AdmissionReview that is
// sent), rest.h (one call: query, redirections, repetitions, deadline), media_type.h, answer.h (what an answer
// means), webhook_call.h (a call and its outcome), webhook_patch.h (the patch of an answer), chain.cc (the
// dispatchers), replay.h (answers that stand written down).
//
// Source of behaviour: apiserver pkg/admission/plugin/webhook, pkg/admission/reinvocation.go. Limits: requests have
// no deadline of their own. Of several errors of validating webhooks the first in their order is the answer; the API
// server takes the one that arrives first. Tested by tests/admission/webhooks, tests/oracle/random_webhooks.py.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/engine/kind_schemas.h"
#include "admission/engine/webhooks.h"
#include "admission/mutation.h"
#include "chain/exchange.h"
#include "interpreter/values/arena.h"

namespace portcullis::chain {

// What became of one webhook in one pass, for explanations.
struct WebhookOutcome {
  enum class Kind : uint8_t {
    NotReached,  // `match` says why
    NotAgain,    // the second pass does not call it
    Unknown,     // it would be called, and nobody asks it
    Allowed,
    Denied,
    Failed,  // the call failed, or the webhook cannot take part in a dry run: `text`
  };
  Kind kind = Kind::NotReached;
  bool mutating = false;
  int pass = 1;
  std::string_view configuration, webhook;
  size_t index = 0;          // in `webhooks` of the configuration
  WebhookMatch match;        // without its status
  std::string_view version;  // of the AdmissionReview that it is sent; empty: none
  bool changed = false;      // its patch changed the object
  bool ignored = false;      // failurePolicy let the failure pass
  // The message of a denial, a failure, or a refusal by `match`; if the context wants outcomes, also why the webhook
  // is not reached.
  std::string_view text;
  std::string_view
      field;    // below `webhooks[index]`, the cause of that: a rule, selector, condition; may be empty
  Value patch;  // JSON text of the operations, if there are any; else null
  Value before, after;  // the object at the version of the call, if `changed`
};

// The answer to a request. Its memory lives until the next request.
struct Admission {
  bool allowed = true;
  Value status;                        // the metav1.Status of a refusal; null if the request is admitted
  std::string_view error;              // an error that is no Status, in place of `status`
  std::string_view missing_namespace;  // of that status, as of Status
  // The object after mutation, at the version of the request; null if mutation refuses the request.
  Value object;
  bool changed = false;                    // `object` differs from that of the request
  std::vector<std::string_view> warnings;  // in the order of emission
  std::map<std::string_view, std::string_view> audit_annotations;
  std::vector<WebhookOutcome> webhooks;  // in the order of events
  bool unknown = false;                  // a webhook would have been called, and nobody asked it
  Mutation mutation;                     // what the policies did
  Decision decision;                     // of the validating policies

  Arena arena;
  KindSchemas schemas;     // parts of objects refer to them
  ReviewContext matching;  // of webhooks, so that the memory of policies stays
  void clear();
};

// Sends one request through the chain. `context` belongs to the thread. `callers` may be null: then no webhook is
// asked, and each that would be is Unknown and counts as if it allowed.
void admit(const Engine& engine, const AdmissionRequest& request, ReviewContext& context, Callers* callers,
           Admission& out);
// Its two halves, between which the API server completes the object (registries, field managers): `mutate` clears
// `out`, and `validate`, whose `request` has the object that is to be validated, adds to it. Only for a request that
// `mutate` admits.
void mutate(const Engine& engine, const AdmissionRequest& request, ReviewContext& context, Callers* callers,
            Admission& out);
void validate(const Engine& engine, const AdmissionRequest& request, ReviewContext& context, Callers* callers,
              Admission& out);

}  // namespace portcullis::chain
