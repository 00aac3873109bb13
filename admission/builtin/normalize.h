// What the API server makes of an object of a built-in kind before a policy sees it: decoded into the Go type,
// defaulted, converted to the internal version and back, made plain data again.
//
// Files, in reading order: types (the structs as a table), object, literal, time, image, decode, encode, access,
// default_rows, default_rules, defaults, convert, normalize.
// Source of behaviour: the API server's codec; judge: mode `decode` of the batch protocol. What the server does after
// that (registry strategies, metadata) is not in it: see docs/faithfulness.md.
// Tested by admission/builtin/normalize_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admission/builtin/decode.h"

namespace portcullis::builtin {

struct Normalized {
  Value object;            // lives in the arena, with views into the input
  std::string error;       // the API server's text for a value of a wrong type; then `object` is null
  std::string error_path;  // where that value is
};

// Is `apiVersion` and `kind` of `object` a built-in kind?
bool is_builtin(const Value& object);

// The struct of the kind of `object`, or null.
const StructRow* struct_of(const Value& object);

// `object` must be of a built-in kind. Apart from errors and unknown fields, allocates in the arena only.
Normalized normalize(Arena& arena, const Value& object, const DecodeOptions& options = {});
Normalized normalize(Arena& arena, const StructRow& row, const Value& object, const DecodeOptions& options);

}  // namespace portcullis::builtin
