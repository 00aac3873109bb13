// Tagged values: the notation of the batch protocol and the conformance tables for CEL values.
//
// Idea: a value is a JSON object with one key, the tag: {"int64":"7"}, {"list":[...]}; see "Values" of the
// protocol. Writing distinguishes values by kind, and opaque values by the name of their class. Reading makes
// a library value by calling the row of its function (string_to_quantity and so on), so that only that row
// parses it. Limits: reading fails on tags that need protobuf (enum, object, empty_value), on unknown and on
// error. Tested by tests/conformance, fuzz/expressions.
#pragma once

#include <string>
#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis {

class Arena;

// `v` in the notation of the protocol: keys in byte order, maps sorted by the text of their keys. A value
// longer than 64 MiB becomes an {"error": ...}.
std::string tagged(const Value& v);

// Reads a tagged value; the result lives in `arena`.
Result<Value> read_tagged(const Value& json, Arena& arena);

// The only member of an object, which is the tag and what is tagged.
Result<MapEntry> only_member(const Value& json);
// The value of a tag with a text: "string", "int64", "double", "bytes", "quantity".
Result<Value> read_text_tag(std::string_view tag, std::string_view text, Arena& arena);
// The tag of a class of library values; empty if it has none.
std::string_view library_tag(std::string_view type_name);

}  // namespace portcullis
