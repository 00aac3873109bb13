// Tagged values and type names: the notation of the batch protocol and the conformance tables for CEL values.
//
// Idea: a value is a JSON object with one key, the tag: {"int64":"7"}, {"list":[...]}; see "Values" of the
// protocol. Writing distinguishes values by kind, and opaque values by the name of their class. Reading makes
// a library value by calling the row of its function (string_to_quantity and so on), so that only that row
// parses it. Limits: reading fails on tags that need protobuf (enum, object, empty_value), on unknown and on
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

// The approximate length limit of a value's text, in bytes: a value that shares parts may have an endless
// text.
inline constexpr size_t kMaxTagged = size_t{64} << 20;

// `v` in the notation of the protocol: keys in byte order, maps sorted by the text of their keys. A value
// longer than kMaxTagged becomes an {"error": ...}.
std::string tagged(const Value& v);

// Reads a tagged value; the result lives in `arena`.
Result<Value> read_tagged(const Value& json, Arena& arena);

// A double in the notation of the protocol: "0.1", "1e+30", "-0", "NaN", "Infinity".
std::string format_tagged_double(double d);

// Parses a type of the protocol: "int", "list(T)", "quantity", "request". Errors are for `inputError`.
Result<const Type*> parse_batch_type(std::string_view text, TypePool& pool);

// Reads a type of the tables: a name, or {"list": T}, {"map": [K, V]}, {"wrapper": T}, {"message": name},
// {"type_param": name}, {"type": T}, {"abstract": {"name", "params"}}.
Result<const Type*> read_table_type(const Value& json, TypePool& pool);

// Converts plain JSON to a value of the declared type `type`: numbers and strings of integers to uint and
// double, base64 to bytes, texts to timestamps, durations and library values, null to optional.none(), map
// keys to the type of keys.
Result<Value> convert_plain(const Value& json, const Type* type, Arena& arena);

// Converts bytes to standard base64 with padding, and back; from_base64 fails if the text is no base64.
std::string to_base64(std::string_view bytes);
Result<std::string> from_base64(std::string_view text);

}  // namespace portcullis
