// Applies qualifiers: fields, keys and indexes of values, with presence tests and optionals.
//
// Source: cel-go interpreter/attributes.go (refQualify, applyQualifiers).
// Tested by interpreter/run/cel_test.cc, tests/conformance (interpreter, optionals).
#pragma once

#include <cstdint>

#include "interpreter/compile/bytecode.h"
#include "interpreter/values/value.h"

namespace portcullis {

enum class Found : uint8_t { Yes, No, Failed };

// Applies one qualifier. Yes: `out` is the value under `key`. Failed: `out` is the error. A missing key is the error
// "no such key: k" or "index out of bounds: i" if its value is asked for, else No.
Found find_qualified(const Value& object, const Value& key, Ask ask, Arena& arena, Value& out);

// Whether a computed index can be a qualifier; if not, `out` is the error "invalid qualifier type: T".
bool is_qualifier(const Value& index, Arena& arena, Value& out);

// Applies `count` constant qualifiers to `base`, and adds their cost to `charged`. `observed`: the result of
// has() is a bool even if an optional was passed on the way.
Value apply_qualifiers(const Value& base, const Key* keys, size_t count, bool observed, Arena& arena,
                       uint64_t& charged);

// optional.of(v).
inline Value some(const Value& v, Arena& arena) { return Value::optional(arena.make<Value>(v)); }

}  // namespace portcullis
