// Reading what google.protobuf.Any holds: a well-known message in protobuf's wire format
// becomes its CEL value.
//
// Idea: a message is a row of fields, each a tag (number and wire type) and its bytes; the last of a field
// that is there twice counts, and what is not known is skipped. Everything that protobuf refuses (cut off,
// bad UTF-8, no such type) is one failure.
// Limits: only the messages that CEL knows; lists and structs nest up to kMostWireDepth.
// Source of behaviour: google.golang.org/protobuf (proto.Unmarshal). Tested by
// interpreter/compile/wellknown_test.cc.
#pragma once

#include <optional>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// Deeper messages are refused: far more than an expression of 100,000 characters would write by hand, and no
// risk for the stack.
inline constexpr int kMostWireDepth = 100;

// The value of the message that `type_url` names, in `data`; nothing where it cannot be read. Texts of the
// result live in `data` or in the arena.
std::optional<Value> unpack_any(std::string_view type_url, std::string_view data, Arena& arena);

}  // namespace portcullis
