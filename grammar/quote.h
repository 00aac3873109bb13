// quote: strings and doubles as Go prints them (strconv.Quote, %g), for unparse.
//
// Limits: "printable" is Unicode 15.0, the tables of the Go that kube-apiserver 1.37 is built with.
// Tested by grammar/quote_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// `text` in double quotes with Go's escapes; invalid UTF-8 as \xHH, unprintable runes as \u or
// \U (strconv.Quote).
std::string quote(std::string_view text);

// Whether Go prints the rune as it is (strconv.IsPrint).
bool is_printable(char32_t rune);

// Shortest digits that read back to the same double, in exponent form when the decimal exponent is below -4
// or at least 6; "NaN", "+Inf", "-Inf" (strconv.FormatFloat(x, 'g', -1, 64), also fmt's %v).
std::string format_double(double value);

}  // namespace portcullis
