// Defaults of built-in kinds, as the API server sets them before any admission plugin sees an object.
// Source of behaviour: kubernetes pkg/apis/*/v*/defaults.go and the declared defaults of the types.
// Tested by admission/builtin/normalize_test.cc and against the oracle's mode `decode`.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// Applies the defaults of `object` and of all structs within, outer structs first. `now` (RFC 3339, UTC) is
// the value of fields that default to the time of the request; it must outlive the result.
void apply_defaults(Arena& arena, Object& object, std::string_view now);

// Whether the struct itself has defaults, apart from structs within it or around it.
bool has_defaults(const StructRow& row);

}  // namespace portcullis::builtin
