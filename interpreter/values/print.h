// Prints values: type names at run time, values in error messages, and values for people (--explain).
//
// There are two forms: `format_go` prints a value as Go's %v does in an error text ("no such key: 5");
// `format_cel` prints a CEL literal where there is one ("[1, \"a\"]", "timestamp(\"...\")"). Texts longer
// than kMaxText end in "...".
// Tested by tests/language, interpreter/run/cel_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// The approximate limit of a text in bytes.
inline constexpr size_t kMaxText = size_t{16} << 20;

// The name of a value's type, as type(x) shows it: "int", "google.protobuf.Timestamp", "net.IP".
std::string_view type_name(const Value& v);

// type(x): a type, or an error for values that have none.
Value type_of(const Value& v, Arena& arena);

// The value as Go's %v prints its CEL value.
std::string format_go(const Value& v);

// Plain data, as Go's %v prints what its JSON reader makes: "map[a:1 b:[x <nil>]]".
std::string format_native(const Value& v);

// As CEL source where possible. Ends in "..." soon after `most` bytes, of which none differs from the whole text.
std::string format_cel(const Value& v, size_t most = kMaxText);

}  // namespace portcullis
