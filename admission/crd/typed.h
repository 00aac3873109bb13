// Typed values: plain data with a schema, as CEL sees it.
//
// Idea: one eager pass. Names of properties are escaped, fields that the schema lacks are hidden, null
// properties are absent, formats become times, durations and bytes, lists know their list type
// (interpreter/values/list_types.h). A value that does not fit the schema becomes an error value, which only
// matters if an expression reads it. Source of behaviour: k8s.io/apiserver
// pkg/cel/common/valuesunstructured.go. Tested by the conformance tables crd_*.
#pragma once

#include "admission/crd/schema.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// `data` typed by `schema`. Texts are views of `data`, the rest lives in the arena.
Value typed_value(Arena& arena, const Value& data, const Schema& schema);

// The name of the type that Go's JSON reader makes of `data`: "int64", "[]interface {}".
std::string_view go_type_of(const Value& data);

// A string of format duration: Go's ("1h30m") or words ("3 days 2 hours"); an error value if it is neither.
Value typed_duration(Arena& arena, std::string_view text);

}  // namespace portcullis::crd
