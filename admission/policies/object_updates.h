// What the registry refuses in an update of a built-in kind because a field may not change, or only in one way.
//
// Idea: one table, with a row for each field that is immutable and a function (update_rules.h) where a rule is no
// matter of one field. What a strategy refuses in a new object as well (formats, required fields) is not looked at.
// Limits: no subresources but those of Pods; kinds that are off by default, but for a few. A value that Kubernetes
// prints as one of its internal types is left out of the text, as Kubernetes itself does with values that it hides; so
// are differences of whole specs.
// Source of behaviour: k8s.io/kubernetes pkg/apis/*/validation (Validate...Update) and zz_generated.validations.go.
// Tested by tests/cli/object_updates.txt, and against Kubernetes' code by tests/oracle/built_in_updates.py.
#pragma once

#include "admission/objects/field_error.h"
#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Which objects are what a person wrote, rather than read from a server: nobody knows what the server or its
// controllers made of such an old object, and a client may merge such a new one into what is stored. So nothing that
// they set counts as changed because the other object lacks it.
struct Written {
  bool now = false, old = false;
};

// Adds the errors of an update of `old`, or of a subresource of it, by `object`. Both are of this kind, which is built
// in, and complete: as the registry sees them after the strategy has prepared the update. The field of an error is
// where the manifest has it, which the text does not always name.
void check_built_in_update(const GroupVersionKind& kind, const Value& object, const Value& old,
                           Written written, std::string_view subresource, FieldErrors& errors);

}  // namespace portcullis
