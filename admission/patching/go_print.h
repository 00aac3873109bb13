// Prints a native form as Go's fmt does: %v and %#v of the value in an interface. Limits: values whose Go
// types print addresses or fields are printed as plain values. Source of behaviour: Go's fmt,
// structured-merge-diff value.ToString. Tested by admission/patching/kind_test.cc.
#pragma once

#include "interpreter/values/builder.h"
#include "interpreter/values/value.h"

namespace portcullis::patching {

// %v: "map[a:1 b:[x <nil>]]".
void append_go_value(TextBuilder& out, const Value& native);
// %#v: "map[string]interface {}{\"a\":1}".
void append_go_syntax(TextBuilder& out, const Value& native);
// value.ToString, which makes path elements: "\"a\"", "80".
void append_key_value(TextBuilder& out, const Value& value);

}  // namespace portcullis::patching
