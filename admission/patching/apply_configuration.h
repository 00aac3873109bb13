// ApplyConfiguration: an `Object{...}` merged into an object, as the server-side apply of a configuration is, but
// that nobody's fields are taken away.
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating/patch/smd.go.
// Tested by admission/patching/kind_test.cc.
#pragma once

#include "admission/ownership/merge_type.h"
#include "admission/patching/merge_trace.h"
#include "admission/patching/patched.h"

namespace portcullis::patching {

// `current` with what `literal` (an Object) says. `type`: that of the kind of `current`; null: it has none, which
// is an error. `fits`: `current` was decoded into the struct of its kind, so that it needs no look at every field.
// Parts of `current` that do not change are shared. `trace`: told of the merge; may be null. Errors: "type mismatch: ...", "error applying patch: ...".
Patched apply_configuration(Arena& arena, const Value& current, const Value& literal,
                            const ownership::MergeType* type, bool fits, MergeTrace* trace);

}  // namespace portcullis::patching
