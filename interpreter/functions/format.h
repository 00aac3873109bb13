// string.format: both formatters of cel-go's strings library.
//
// Idea: one reader of format strings; a formatter is a struct with one function a verb. Versions 1 to 3 print
// CEL literals inside of lists and maps and go through the English locale for %f and %e; version 4 prints plain text.
// Source of behaviour: cel-go ext/formatting.go and formatting_v2.go, golang.org/x/text/message for numbers.
// Tested by tests/language/strings.cel and the formatting tables of tests/conformance.
#pragma once

#include <string_view>

#include "interpreter/functions/call.h"

namespace portcullis {

// The highest precision of versions 1 to 3: what x/text has room for as a width.
inline constexpr int kMostLiteralPrecision = 65535;

// format of versions 1 to 3 and from 4 on. Returns a string or an error.
Value format_literals(CallContext& context, std::string_view format, List arguments);
Value format_plain(CallContext& context, std::string_view format, List arguments, int max_precision);

}  // namespace portcullis
