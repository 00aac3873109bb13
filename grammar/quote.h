// quote: strings and doubles as Go prints them (strconv.Quote, %g), in expressions, values and errors.
//
// Limits: "printable" is Unicode 15.0's, as in the Go version that builds kube-apiserver 1.37.
// Tested by grammar/quote_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// `text` in double quotes with Go's escapes; an invalid byte becomes \xHH, an unprintable rune \u or \U
// (strconv.Quote).
std::string quote(std::string_view text);

// Whether Go prints the rune as it is (strconv.IsPrint).
bool is_printable(char32_t rune);

// The shortest digits that read back as the same double, in exponent form if the decimal exponent is below -4
// or at least `limit`; "NaN", "+Inf", "-Inf" (strconv.FormatFloat(x, 'g', -1, 64), also fmt's %v: 6).
std::string format_double(double value, int limit = 6);

}  // namespace portcullis
