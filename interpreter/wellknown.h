// Literals of the well-known messages: `google.protobuf.Int64Value{value: 1}` is a CEL value, not a message.
//
// Wrappers become what they wrap, Struct, Value and ListValue become maps, values and lists as JSON has them
// (numbers are doubles, large integers and bytes texts), Timestamp and Duration become themselves.
// Limits: an Any of another message is refused as without descriptors (wire.h); optional.none() inside a
// Struct becomes null. Source of behaviour: cel-go common/types/pb, common/types/*.go (ConvertToNative).
// Tested by interpreter/wellknown_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "interpreter/value.h"

namespace portcullis {

// The value or error that a literal of message `type` with these fields is; nothing if the type
// is not one of them.
std::optional<Value> make_well_known(std::string_view type, std::span<const MapEntry> fields, Arena& arena);

}  // namespace portcullis
