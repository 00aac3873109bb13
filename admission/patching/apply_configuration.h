// ApplyConfiguration: merges an `Object{...}` into an object, as a server-side apply does, except that no
// manager loses fields.
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating/patch/smd.go. Tested by
// admission/patching/kind_test.cc.
#pragma once

#include "admission/ownership/merge_type.h"
#include "admission/patching/merge_trace.h"
#include "admission/patching/patched.h"

namespace portcullis::patching {

// Merges `literal` (an Object) into `current`. `type`: the type of `current`'s kind; if null, the kind has no
// schema, which is an error. `fits`: `current` was decoded into the struct of its kind, so its fields need no
// check. The result shares unchanged parts with `current`. `trace`: records the merge; may be null. Errors:
// "type mismatch: ...", "error applying patch: ...".
Patched apply_configuration(Arena& arena, const Value& current, const Value& literal,
                            const ownership::MergeType* type, bool fits, MergeTrace* trace);

}  // namespace portcullis::patching
