// JSONPatch: applies a list of operations to an object.
//
// Idea: the lists and maps that an operation changes are copied once, at their first change, into nodes with
// room to grow; all other parts are shared and never change. So ten thousand operations on one list make one
// copy of it.
// Kept from evanphx/json-patch, beyond RFC 6902: negative indices, a path whose first part is any text before
// the first slash, `replace` of a key that does not exist, `test` without a value, and three kinds of null
// (of the object, of an operation, absent).
// Limits: kMostCopied. Where upstream's code fails with a nil pointer, the result is an ordinary error
// (docs/faithfulness.md).
// Source of behaviour: gopkg.in/evanphx/json-patch.v4, apiserver
// pkg/admission/plugin/policy/mutating/patch/json_patch.go, pkg/server/config.go (JSONPatchMaxCopyBytes).
// Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "admission/patching/patched.h"

namespace portcullis::patching {

// The most that the `copy` operations of one patch may add, in bytes of JSON.
inline constexpr uint64_t kMostCopied = 3 * 1024 * 1024;

// The order of members in changed maps and in inserted values.
enum class MemberOrder : uint8_t {
  Kept,     // new members come last
  Written,  // sorted by name, as upstream writes the patched object
};

// One operation, as upstream reads it from JSON.
struct JsonOperation {
  std::string_view op, path, from;  // `op`: kUnknownOperation if there is none, or it is no text
  // Why `path` or `from` cannot be read, as Go says it; empty if it can.
  std::string_view path_error = {}, from_error = {};
  bool has_value = false;  // a null counts as a value
  Value value = {};
};
inline constexpr std::string_view kUnknownOperation = "unknown";
inline constexpr std::string_view kMissingPath = "operation missing path field: missing value",
                                  kMissingFrom = "operation, missing from field: missing value";

// What helps against values that are maps of Go structs, of which `kNoGoMap` says that they have no JSON form.
inline constexpr std::string_view
    kNoGoMap = "type conversion error from 'map(dyn, dyn)' to '*structpb.Value'",
    kGoMapHint =
        "a map of a param or of the namespace cannot be the value of a patch as it is; "
        "M.transformMap(k, v, v) in place of such a map M can";

// Applies operations in order. With an error that a `test` made, `skipped` is set, too.
Patched apply_operations(Arena& arena, const Value& current, std::span<const JsonOperation> operations,
                         MemberOrder order = MemberOrder::Kept);

// Applies `operations`, the value of a JSONPatch expression (a list of JSONPatch{}), to `current`, which is
// plain data (marks of Go structs do not matter). In inserted values, whole numbers are Ints, as a JSON
// reader has them; `read_back` of json_value.h converts the rest. Errors: those of conversion ("type
// mismatch: ...", "JSONPath valueExpression evaluated to a type that could not marshal to JSON: ..."), where
// the first one of any operation precedes all others, and "JSON Patch: ...".
Patched apply_json_patch(Arena& arena, const Value& current, const Value& operations,
                         MemberOrder order = MemberOrder::Kept);

}  // namespace portcullis::patching
