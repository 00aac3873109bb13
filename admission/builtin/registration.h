// Registration: decodes the six kinds of admissionregistration.k8s.io (policies, their bindings, webhook
// configurations) at their three versions, as the API server decodes them in a request.
//
// Idea: this file determines the kind, with the errors of Kubernetes' codec. decode.h (strict errors) and
// defaults.h do the rest, as for all built-in kinds. All versions of a kind have the same fields, so readers
// of a decoded object need not know its version.
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
#include "admission/scalars/group_version.h"

namespace portcullis {

inline constexpr size_t kMaxStrictErrors = 100;

// One of the six kinds.
struct ApiKind {
  enum class Sort { Policy, Binding, Configuration };

  std::string_view kind;
  std::string_view resource;
  Sort sort;
};
extern const std::span<const ApiKind> api_kinds;
// The kind of this name; null if it is none of the six.
const ApiKind* find_api_kind(std::string_view kind);

struct Decoded {
  const ApiKind* kind = nullptr;
  Data data;                                  // with defaults; its apiVersion is that of v1
  std::vector<builtin::UnknownField> strict;  // unknown and duplicate fields, in order, each once
  std::string error;                          // if not empty, the object does not decode
  std::string error_place;                    // the field of the error: "spec.validations[0].message"
  std::string unsupported;                    // if not empty, the object decodes, but is of no such kind
};

// Decodes and defaults `object` and sets its apiVersion to v1. The result lives in the arena and refers to
// texts of `object`, so both must outlive it.
Decoded decode_object(Arena& arena, const Document& object);
// The same for a value of JSON kinds.
Decoded decode_object(Arena& arena, const Value& object);

}  // namespace portcullis
