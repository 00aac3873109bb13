// JSONPatch: a list of operations applied to an object.
//
// Idea: lists and maps on the way of an operation are copied once, the first time one is changed, into nodes
// with room to grow; all else of the object is shared, and nothing of it is changed. So ten thousand
// operations on one list take one copy of it.
// What evanphx/json-patch does beyond RFC 6902 is kept: negative indices, a path whose first part is whatever
// stands before the first slash, `replace` of a key that is not there, `test` without a value, and the three
// nulls it tells apart (of the object, of an operation, none).
// Limits: kMostCopied. Where upstream's code fails with a nil pointer, an ordinary error is given
// (docs/faithfulness.md).
// Source of behaviour: gopkg.in/evanphx/json-patch.v4, apiserver
// pkg/admission/plugin/policy/mutating/patch/json_patch.go, pkg/server/config.go (JSONPatchMaxCopyBytes).
// Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <cstdint>

#include "admission/patching/patched.h"

namespace portcullis::patching {

// How much the operations `copy` of one patch may add, in bytes of JSON.
inline constexpr uint64_t kMostCopied = 3 * 1024 * 1024;

// The order of members in maps that change, and in values that come in.
enum class MemberOrder : uint8_t {
  Kept,     // new ones at the end
  Written,  // of their names, as upstream writes the patched object down
};

// The object as the operations leave it; `operations` is the value of a JSONPatch expression, a list of
// JSONPatch{}. `current` is plain data (marks of Go structs do not matter). Whole numbers are Ints, as a
// reader of the JSON has them, in what the operations put in; `read_back` of json_value.h does so for the rest.
// Errors: those of conversion ("type mismatch: ...", "JSONPath valueExpression evaluated to a type that could
// not marshal to JSON: ..."), of which the first of any operation comes before all others, and "JSON Patch: ...".
Patched apply_json_patch(Arena& arena, const Value& current, const Value& operations,
                         MemberOrder order = MemberOrder::Kept);

}  // namespace portcullis::patching
