// Reads the content of a google.protobuf.Any: a well-known message in protobuf's wire format becomes its CEL
// value.
//
// Idea: a message is a sequence of fields, each a tag (number and wire type) and its bytes. If a field occurs
// twice the last one counts; unknown fields are skipped. All that protobuf refuses (truncated data, bad
// UTF-8, unknown types) is the same failure.
// Limits: only the messages that CEL knows; lists and structs nest up to kMostWireDepth.
// Source of behaviour: google.golang.org/protobuf (proto.Unmarshal).
// Tested by interpreter/compile/wellknown_test.cc.
#pragma once

#include <optional>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// Deeper messages are refused. Nobody writes that many by hand into an expression of 100,000 characters, and
// the stack is safe.
inline constexpr int kMostWireDepth = 100;

// The value of the message of type `type_url` in `data`; nothing if it cannot be read. Texts of the result
// live in `data` or in the arena.
std::optional<Value> unpack_any(std::string_view type_url, std::string_view data, Arena& arena);

}  // namespace portcullis
