// What the API server makes of the answer of a webhook: status codes, content types, AdmissionReviews.
//
// Idea: client-go turns an HTTP answer into an object or an error, and the webhook plugins check the object.
// Every failure is one text, which the plugin puts behind `failed calling webhook "<name>": `. The structs of
// AdmissionReview are rows of admission/builtin, so errors about their fields are Go's.
// Source of behaviour: client-go rest/request.go, apimachinery pkg/runtime/serializer, apiserver
// pkg/admission/plugin/webhook/{request/admissionreview.go,errors/statuserror.go,mutating/dispatcher.go}.
// Limits: YAML is read by manifests/yaml.h, with its limits; Protobuf is not read. Tested by
// chain/answer_test.cc, fuzz/answer.cc and against the oracle's mode `admit`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "admission/objects/document.h"
#include "chain/exchange.h"
#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis::chain {

// What a webhook was asked, as far as its answer is checked against it.
struct Question {
  std::string_view uid;  // of the AdmissionReview that was sent
  bool v1 = true;        // its version: v1, else v1beta1
  bool mutating = false;
};

// The response in an AdmissionReview. Texts live in the arena of read_answer.
struct Response {
  // Why the call failed: what follows `failed calling webhook "<name>": `. Empty if the response is usable;
  // else the other fields are empty.
  std::string error;
  bool allowed = false;
  Value status;  // the metav1.Status of a response that does not allow; null if there is none
  std::span<const std::pair<std::string_view, std::string_view>>
      audit_annotations;  // the last of a key counts
  std::span<const std::string_view> warnings;
  std::string_view patch;       // the bytes; empty for validating webhooks
  std::string_view patch_type;  // "JSONPatch" for v1beta1, whatever it says; empty without patch
};

// Reads the answer to a call. `answer` need not outlive the call.
Response read_answer(Arena& arena, const HttpAnswer& answer, const Question& question);

// The prefix of Response::error for a call that brought no readable answer.
inline constexpr std::string_view kCallFailed = "failed to call webhook: ";

// The Status with which the API server rejects a request that the webhook `name` does not allow.
Value rejection(Arena& arena, std::string_view name, const Response& response);

// The operations of `patch`, which is not empty: a List of Objects, or Null for no change. An operation that
// is null is an Object without members. The error is what Response::error would be. The raw texts of the
// result refer to `patch`.
Result<Document> read_patch(std::string_view patch);

// The value of Response::error for a non-empty patch of a type that is not "JSONPatch".
std::string unsupported_patch_type(std::string_view type);

}  // namespace portcullis::chain
