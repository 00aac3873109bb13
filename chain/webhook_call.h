// One call of a webhook: what is sent, to where, and what came back.
//
// Source of behaviour: apiserver pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go (callHook). Tested by
// tests/oracle/random_webhooks.py.
#pragma once

#include <string>
#include <string_view>

#include "admission/engine/webhooks.h"
#include "chain/answer.h"
#include "chain/exchange.h"

namespace portcullis::chain {

struct WebhookCall {
  // The call failed; the text begins with `failed calling webhook "<name>": `. Empty: `response` is the answer.
  std::string error;
  // The refusal of a webhook with side effects in a dry run, whatever its failurePolicy; else null.
  Value refusal;
  bool unknown = false;      // nobody asked it
  std::string_view version;  // of the review that is sent; empty: none is
  Response response;
};

// Calls `webhook`, unless a dry run forbids it. `callers` may be null.
WebhookCall call_webhook(Arena& arena, const LoadedWebhook& webhook, bool mutating,
                         const AdmissionRequest& request, const WebhookMatch& match,
                         const WebhookObjects& objects, Callers* callers);

// The text of an error of a call: `failed calling webhook "<name>": <why>`.
std::string call_error(std::string_view webhook, std::string_view why);

// Statuses of errors: 500 `Internal error occurred: <cause>`; 400 `<message>`.
Value internal_error_status(Arena& arena, std::string_view cause);
Value bad_request_status(Arena& arena, std::string_view message);

}  // namespace portcullis::chain
