// Applying qualifiers: fields, keys and indexes of values, with presence tests and optionals.
//
// Source: cel-go interpreter/attributes.go (refQualify, applyQualifiers).
// Tested by interpreter/run/cel_test.cc, tests/conformance (interpreter, optionals).
#pragma once

#include <cstdint>

#include "interpreter/compile/bytecode.h"
#include "interpreter/values/value.h"

namespace portcullis {

enum class Found : uint8_t { Yes, No, Failed };

// One step: the value under `key`, nothing, or the error in `out`. With `presence` a key that is not there is
// No, else the error "no such key: k" or "index out of bounds: i".
Found find_qualified(const Value& object, const Value& key, bool presence, bool presence_only, Arena& arena,
                     Value& out);

// Whether a computed index can be a qualifier at all; else the error "invalid qualifier type: T" in `out`.
bool is_qualifier(const Value& index, Arena& arena, Value& out);

// A run of constant qualifiers from `base` on. Adds what is charged to `charged`. `observed`: the result of
// has() is a bool even if it passed through optionals.
Value apply_qualifiers(const Value& base, const Key* keys, size_t count, bool observed, Arena& arena,
                       uint64_t& charged);

// optional.of(v).
inline Value some(const Value& v, Arena& arena) { return Value::optional(arena.make<Value>(v)); }

}  // namespace portcullis
