// Defaults of built-in kinds, filled in as the API server does before any admission plugin sees an object.
// Source of behaviour: kubernetes pkg/apis/*/v*/defaults.go and the declared defaults of the types.
// Tested by admission/builtin/normalize_test.cc and against the oracle's mode `decode`.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// Applies the defaults of `object`'s struct and of all structs within, outer ones first.
// `now` (RFC 3339, UTC) stands in fields that default to the time of the request; it must outlive the result.
void apply_defaults(Arena& arena, Object& object, std::string_view now);

// Has the struct defaults of its own? Not: structs within it, and it within another.
bool has_defaults(const StructRow& row);

}  // namespace portcullis::builtin
