// `request` and `namespaceObject` as CEL values.
//
// Idea: both are maps, made in the arena, with exactly the fields that Kubernetes' structs have after
// omitempty, marked as parts of Go structs (interpreter/values/go_values.h). Quirks of upstream: uid, object
// and oldObject exist at run time (empty, null) although no type declares them; audit annotations and mutations
// see a namespace with all fields that it is given with, other expressions see one with fewer fields. Source of
// behaviour: apiserver pkg/admission/plugin/cel/condition.go. Tested by tests/admission/evaluation, tests/oracle/.
#pragma once

#include "admission/matching/matching.h"
#include "admission/objects/request.h"
#include "grammar/result.h"

namespace portcullis {

// The value of `request` if it matched as `kind` and `resource`.
Value request_value(const AdmissionRequest& request, const GroupVersionKind& kind,
                    const GroupVersionResource& resource, Arena& arena);

// A Namespace as audit annotations and mutations see it (`whole`) and as other expressions see it (`cut`).
struct NamespaceValues {
  Value labels;
  Value cut, whole;
};
// A Namespace with this name and what the API server sets in every namespace: a label, a finalizer, the phase.
Value named_namespace(std::string_view name, Arena& arena);
// Decodes a Namespace object; fails if a field has a wrong type. Texts are views of those of `object`.
Result<NamespaceValues> namespace_values(const Value& object, std::string& name, Arena& arena);

}  // namespace portcullis
