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

// A call in three steps, of which only the second one waits, and any number of them may run at once.
class Calling {
 public:
  // Makes the review, unless a dry run forbids the call or nobody asks. `callers` may be null; `webhook` and they must
  // outlive the calling.
  Calling(Arena& arena, const LoadedWebhook& webhook, const AdmissionRequest& request,
          const WebhookMatch& match, const WebhookObjects& objects, Callers* callers);
  // Sends it, if there is one, and waits for the answer.
  void ask();
  // Judges the answer.
  WebhookCall finish(Arena& arena);

 private:
  const LoadedWebhook* webhook_;
  WebhookCall out_;
  Asker* asker_ = nullptr;  // null: nothing is sent
  std::string url_, review_, uid_;
  HttpAnswer answer_;
};

// The text of an error of a call: `failed calling webhook "<name>": <why>`.
std::string call_error(std::string_view webhook, std::string_view why);

// Statuses of errors: 500 `Internal error occurred: <cause>`; 400 `<message>`.
Value internal_error_status(Arena& arena, std::string_view cause);
Value bad_request_status(Arena& arena, std::string_view message);

}  // namespace portcullis::chain
