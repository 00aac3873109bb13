// Plain data of what is marked as parts of Go structs: the API server shows objects of built-in kinds to mutations as
// it would show custom resources, to everything else as the structs that they are.
// Source of behaviour: apiserver pkg/admission/conversion.go (LazyObject). Tested by tests/admission/mutation.
#pragma once

#include "interpreter/values/value.h"

namespace portcullis::builtin {

// `data` without its marks (interpreter/values/go_values.h), in the arena; shares with it what has none.
Value plain_data(Arena& arena, const Value& data);

}  // namespace portcullis::builtin
