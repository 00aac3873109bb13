// Metadata of objects of any kind: decoded into ObjectMeta and validated as the registry does. Source of behaviour:
// apiserver pkg/registry/rest (BeforeCreate, BeforeUpdate), k8s.io/kubernetes pkg/apis/*/validation (names). Tested by
// tests/cli/object_metadata.txt, tests/custom_resources.cc, and against Kubernetes' code by
// tests/oracle/built_in_metadata.py.
#pragma once

#include <vector>

#include "admission/builtin/decode.h"
#include "admission/objects/field_error.h"
#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Decodes the value of `metadata`; unknown fields are appended to `unknown`, if it is not null.
builtin::Decoded decode_metadata(Arena& arena, const Value& metadata,
                                 std::vector<builtin::UnknownField>* unknown = nullptr);
// The metadata of an object where it decodes.
builtin::Object& metadata_of(Arena& arena, const Value& object);

// Adds the errors of the metadata of a custom resource that is created or (with `old`) updated; both decode. Errors
// that updates of every kind have go into `common`; Kubernetes reports some of them several times.
void check_metadata(const Value& object, const Value* old, bool namespaced, FieldErrors& common,
                    FieldErrors& errors);
// The same for an object of a built-in kind, which has been decoded and is complete, as `old` is. Limits: of IPAddress,
// StorageVersion, ClusterTrustBundle and APIService, whose names have rules of their own, only what is asked of all
// names; of an update, generateName is not held against the rule of the kind.
void check_built_in_metadata(const GroupVersionKind& kind, const Value& object, const Value* old,
                             bool namespaced, FieldErrors& errors);

}  // namespace portcullis
