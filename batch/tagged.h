// Tagged values and type names: how the batch protocol and the conformance tables write
// what CEL computes with.
//
// Idea: a value is a JSON object with one key, the tag: {"int64":"7"}, {"list":[...]}; see the protocol's
// "Values". Writing knows values by kind and opaque values by the name of their class; reading makes library
// values by calling the row that makes them in an expression (string_to_quantity and so on), so that nothing
// is parsed twice. It stands here and not in cli/ because mode `condition` needs it, too.
// Limits: reading fails (an Error) on tags that need protobuf (enum, object, empty_value) and on unknown,
// error. Tested by tests/conformance, fuzz/expressions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/value.h"
#include "typecheck/type.h"

namespace portcullis {

class Arena;

// Longest text of a value, in bytes, about: one that shares parts may have a text without end.
inline constexpr size_t kMaxTagged = size_t{64} << 20;

// `v` as the protocol writes it: keys in byte order, maps sorted by the text of their keys. What is longer than
// kMaxTagged is an {"error": ...}.
std::string tagged(const Value& v);

// The value that a tagged value (as read from JSON) stands for; lives in `arena`.
Result<Value> read_tagged(const Value& json, Arena& arena);

// A double as the protocol writes it: "0.1", "1e+30", "-0", "NaN", "Infinity".
std::string format_tagged_double(double d);

// A type of the protocol: "int", "list(T)", "quantity", "request". Errors are for `inputError`.
Result<const Type*> parse_batch_type(std::string_view text, TypePool& pool);

// A type of the tables: a name, or {"list": T}, {"map": [K, V]}, {"wrapper": T}, {"message": name},
// {"type_param": name}, {"type": T}, {"abstract": {"name", "params"}}.
Result<const Type*> read_table_type(const Value& json, TypePool& pool);

// Makes the value of a variable of declared type `type` of plain JSON: numbers and strings of integers to
// uint and double, base64 to bytes, texts to timestamps, durations and library values, null to
// optional.none(), map keys to the type of keys.
Result<Value> convert_plain(const Value& json, const Type* type, Arena& arena);

// Texts <-> bytes in standard base64 with padding; the error is that the text is no base64.
std::string to_base64(std::string_view bytes);
Result<std::string> from_base64(std::string_view text);

}  // namespace portcullis
