// An expression as HTML: its texts, numbers and keywords in colours, and the part that decided marked.
// Tested by cli/formats/formats_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis::formats {

// `blame`: the code point where that part's own operator or name begins; -1: none. Any text is taken, CEL or not.
std::string cel_html(std::string_view expression, int blame);

}  // namespace portcullis::formats
