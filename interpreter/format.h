// string.format: both formatters of cel-go's strings library.
//
// Idea: one reader of format strings; a formatter is a struct with one function a verb. Versions 1 to 3 print
// CEL literals inside of lists and maps and go through a locale for %f and %e; version 4 prints plain text.
// Source of behaviour: cel-go ext/formatting.go and formatting_v2.go, golang.org/x/text/message for numbers.
// Limits: of locales only decimal point, grouping by threes and the sign of scientific notation are known.
// Tested by tests/language/strings.cel and the formatting tables of tests/conformance.
#pragma once

#include <string_view>

#include "interpreter/call.h"

namespace portcullis {

// How a locale writes numbers.
struct NumberStyle {
  std::string_view name;     // "en_US"
  std::string_view point;    // between whole and fraction
  std::string_view group;    // between three digits
  std::string_view times10;  // between mantissa and superscript exponent
};

// What Kubernetes uses: English, with the symbols of the x/text that it is built with.
inline constexpr NumberStyle kPlainStyle = {"", ".", ",", "\u00d710"};
// Locales that an embedder may name (cel-go: StringsLocale), with the symbols of the x/text that cel-go's own
// tests are built with, which sets the times sign apart.
inline constexpr NumberStyle kLocaleStyles[] = {
    {"en_US", ".", ",", "\u202f\u00d7\u202f10"},      {"en_GB", ".", ",", "\u202f\u00d7\u202f10"},
    {"fr_FR", ",", "\u00a0", "\u202f\u00d7\u202f10"}, {"nl_NL", ",", ".", "\u202f\u00d7\u202f10"},
    {"de_DE", ",", ".", "\u202f\u00b7\u202f10"},      {"es_ES", ",", ".", "\u202f\u00d7\u202f10"},
    {"it_IT", ",", ".", "\u202f\u00d7\u202f10"},      {"pt_BR", ",", ".", "\u202f\u00d7\u202f10"},
    {"pl_PL", ",", "\u00a0", "\u202f\u00d7\u202f10"}, {"ru_RU", ",", "\u00a0", "\u202f\u00d7\u202f10"},
    {"ja_JP", ".", ",", "\u202f\u00d7\u202f10"},      {"zh_CN", ".", ",", "\u202f\u00d7\u202f10"},
};

// The highest precision of versions 1 to 3: what x/text has room for as a width.
inline constexpr int kMostLiteralPrecision = 65535;

// format of versions 1 to 3 and from 4 on. Returns a string or an error.
Value format_literals(CallContext& context, std::string_view format, List arguments,
                      const NumberStyle& style);
Value format_plain(CallContext& context, std::string_view format, List arguments, int max_precision);

}  // namespace portcullis
