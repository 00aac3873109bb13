// string.format: both formatters of cel-go's strings library.
//
// Idea: both share one reader of format strings; a formatter is a struct with one function per verb. Versions
// 1 to 3 of the library print the parts of lists and maps as CEL literals, and %f and %e in the English
// locale; version 4 prints plain text.
// Source of behaviour: cel-go ext/formatting.go and formatting_v2.go, golang.org/x/text/message for numbers.
// Tested by tests/language/strings.cel and the formatting tables of tests/conformance.
#pragma once

#include <string_view>

#include "interpreter/functions/call.h"

namespace portcullis {

// The largest precision of versions 1 to 3: the largest width that x/text can hold.
inline constexpr int kMostLiteralPrecision = 65535;

// Formats `arguments` by `format`: format_literals as versions 1 to 3, format_plain as version 4 and later.
// Returns a string or an error.
Value format_literals(CallContext& context, std::string_view format, List arguments);
Value format_plain(CallContext& context, std::string_view format, List arguments, int max_precision);

}  // namespace portcullis
