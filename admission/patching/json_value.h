// The value of an expression -> JSON, as operations of a patch carry it.
//
// Idea: what is plain data already stays as it is and is shared; the rest is converted as cel-go and Go's
// protobuf library do, which is why integers that a double cannot hold become texts, but numbers within
// `Object{...}` lose digits instead. A number is what a reader of the JSON makes of it: 3.0 is the integer 3.
// Limits: names of Go structs in errors are known for those of `request`, namespaceObject and metadata.
// Source of behaviour: cel-go common/types (ConvertToNative), structpb.NewValue, apiserver
// pkg/cel/mutation/dynamic. Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::patching {

struct JsonValue {
  Value value;             // null, bool, int, double, text, list or map with texts as keys
  std::string_view error;  // Go's text of why it is no JSON; empty: it is
};

// `value` as JSON, in the arena; shares what needs no conversion.
JsonValue json_value(Arena& arena, const Value& value);

// What a reader of JSON makes of a double that is written down: an Int if it is a whole number within 64 bits. But
// -0 stays a double, which a text shows.
Value number_read_back(double d);

// `data` (plain) with every double that is a whole number as an Int, as if it had been written and read; -0 is 0.
Value read_back(Arena& arena, const Value& data);

}  // namespace portcullis::patching
