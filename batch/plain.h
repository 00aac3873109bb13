// Plain JSON as values of declared types, for the batch protocol and `portcullis eval`.
//
// Idea: a library value is made of a text by the row of its function (string_to_timestamp and so on), so that only
// that row parses it. Tested by tests/conformance, tests/cli/eval.txt.
#pragma once

#include "grammar/result.h"
#include "interpreter/values/value.h"
#include "typecheck/type.h"

namespace portcullis {

class Arena;

// Converts plain JSON to a value of the declared type `type`: numbers and strings of integers to uint and
// double, base64 to bytes, texts to timestamps, durations and library values, null to optional.none(), map
// keys to the type of keys.
Result<Value> convert_plain(const Value& json, const Type* type, Arena& arena);

}  // namespace portcullis
