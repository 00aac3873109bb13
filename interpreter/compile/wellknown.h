// Literals of protobuf's well-known messages: `google.protobuf.Int64Value{value: 1}` is a CEL value, not a
// message.
//
// A wrapper becomes the value in it. Struct, Value and ListValue become maps, values and lists as in JSON
// (numbers as doubles, large integers and bytes as strings). Timestamp and Duration become CEL's own.
// Limits: every Any is refused, since messages in protobuf's wire format are not read; optional.none() inside a Struct
// becomes null.
// Source of behaviour: cel-go common/types/pb, common/types/*.go (ConvertToNative).
// Tested by interpreter/compile/wellknown_test.cc.
#pragma once

#include <string_view>

#include "interpreter/values/structs.h"

namespace portcullis {

// The form of a literal whose type has no form from its provider. It makes the CEL value of a well-known
// message, a StructValue of another message of google.protobuf, and an unknown-type error for anything else
// (Kubernetes' request, simple types). Lives in the arena and refers to `type`.
const StructForm* literal_form(std::string_view type, Arena& arena);

}  // namespace portcullis
