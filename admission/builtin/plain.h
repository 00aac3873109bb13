// Plain data without the marks of Go structs. The API server shows objects of built-in kinds to mutations as
// unstructured data, as it does custom resources, and to everything else as structs. Source of behaviour:
// apiserver pkg/admission/conversion.go (LazyObject). Tested by tests/admission/mutation.
#pragma once

#include "interpreter/values/value.h"

namespace portcullis::builtin {

// `data` without marks (interpreter/values/go_values.h), in the arena. Shares the parts that have no marks.
Value plain_data(Arena& arena, const Value& data);

// The same for data of expressions, where unmarked parts can hold marked ones.
Value plain_throughout(Arena& arena, const Value& data);

}  // namespace portcullis::builtin
