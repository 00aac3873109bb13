// Literals of the well-known messages: `google.protobuf.Int64Value{value: 1}` is a CEL value, not a message.
//
// Wrappers become what they wrap, Struct, Value and ListValue become maps, values and lists as JSON has them
// (numbers are doubles, large integers and bytes texts), Timestamp and Duration become themselves.
// Limits: an Any of another message is refused as without descriptors (wire.h); optional.none() inside a
// Struct becomes null. Source of behaviour: cel-go common/types/pb, common/types/*.go (ConvertToNative).
// Tested by interpreter/compile/wellknown_test.cc.
#pragma once

#include <string_view>

#include "interpreter/values/structs.h"

namespace portcullis {

// How a literal of `type`, whose provider has no form for it, becomes a value: a well-known message the CEL
// value that it stands for, another message of google.protobuf a StructValue, anything else (Kubernetes'
// request, simple types) the error that there is no such type. Lives in the arena, and refers to `type`.
const StructForm* literal_form(std::string_view type, Arena& arena);

}  // namespace portcullis
