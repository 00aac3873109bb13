// Converts the value of an expression to JSON, as operations of a patch hold it.
//
// Idea: plain data is shared unchanged. Other values are converted as in cel-go and Go's protobuf library; so
// integers that a double cannot represent become texts, but numbers within `Object{...}` lose digits instead.
// A number is what a JSON reader makes of it: 3.0 is the integer 3. Source of behaviour: cel-go common/types
// (ConvertToNative), structpb.NewValue, apiserver pkg/cel/mutation/dynamic. Tested by
// admission/patching/json_patch_test.cc.
#pragma once

#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::patching {

struct JsonValue {
  Value value;             // null, bool, int, double, text, list, or map with texts as keys
  std::string_view error;  // Go's error text; empty: success
};

// `value` as JSON, in the arena; shares parts that need no conversion.
JsonValue json_value(Arena& arena, const Value& value);

// The number that a JSON reader makes of a written double: an Int if it is whole and fits 64 bits. -0 stays a
// double, which texts show.
Value number_read_back(double d);

// `data` (plain) after writing and reading: every whole double is an Int, and -0 is 0.
Value read_back(Arena& arena, const Value& data);

// `data` (plain) with null for each nil_list(), as it is written.
Value with_written_lists(Arena& arena, const Value& data);

}  // namespace portcullis::patching
