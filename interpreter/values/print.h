// How values print: runtime type names, texts in error messages, and the form for people (--explain).
//
// Two forms: `format_go` is what Go's %v makes of a value inside an error text ("no such key: 5");
// `format_cel` is a CEL literal as far as there is one ("[1, \"a\"]", "timestamp(\"...\")").
// Texts longer than kMaxText end in "...".
// Tested by tests/language, interpreter/run/cel_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// In bytes, about.
inline constexpr size_t kMaxText = size_t{16} << 20;

// Name of the type of a value as type(x) gives it: "int", "google.protobuf.Timestamp", "net.IP".
std::string_view type_name(const Value& v);

// type(x): a type, or the error of what has none.
Value type_of(const Value& v, Arena& arena);

// As `%v` of the CEL value in Go.
std::string format_go(const Value& v);

// As CEL source where possible. Ends in "..." soon after `most` bytes, of which none differs from the whole text.
std::string format_cel(const Value& v, size_t most = kMaxText);

}  // namespace portcullis
