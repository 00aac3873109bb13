// Registration: the six kinds of admissionregistration.k8s.io (policies, their bindings, webhook configurations) at
// their three versions, decoded as someone who sends them to the API server has them decoded.
//
// Idea: which kind it is is said here, with the errors of Kubernetes' codec; the rest is that of all built-in kinds:
// decode.h with strict errors, and defaults.h. The versions of a kind have the same fields, so a decoded object is
// read alike, whichever it was written at.
// Source of behaviour: apimachinery pkg/runtime/serializer/json, pkg/api/apis/meta/v1 (SimpleMetaFactory),
// k8s.io/kubernetes/pkg/apis/admissionregistration/v1*/defaults.go.
// Limits: at most kMaxStrictErrors unknown or duplicate fields are reported, as in Kubernetes.
// Tested by admission/builtin/registration_test.cc, tests/oracle/mutate_policies.py, fuzz/policy.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/data.h"
#include "admission/builtin/decode.h"
#include "admission/objects/document.h"

namespace portcullis {

inline constexpr size_t kMaxStrictErrors = 100;

// One of the six kinds.
struct ApiKind {
  std::string_view kind;
  std::string_view resource;
};
extern const std::span<const ApiKind> api_kinds;
inline constexpr std::string_view kRegistrationGroup = "admissionregistration.k8s.io";

struct Decoded {
  const ApiKind* kind = nullptr;
  Data data;                                  // with defaults; its apiVersion is that of v1
  std::vector<builtin::UnknownField> strict;  // unknown and duplicate fields, in order, each once
  std::string error;                          // not empty: the object does not decode
  std::string error_place;                    // the field that does not, "spec.validations[0].message"
  std::string unsupported;                    // not empty: decodes, but is not of the six kinds
};

// Decodes, defaults and calls it v1. The result lives in the arena, with texts that are views of `object`, and must
// not outlive either.
Decoded decode_object(Arena& arena, const Document& object);
// The same of a value of JSON kinds.
Decoded decode_object(Arena& arena, const Value& object);

}  // namespace portcullis
