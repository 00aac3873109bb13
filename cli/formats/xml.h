// Text as XML and HTML have it. Tested by cli/formats/formats_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis::formats {

// `text` as content: markup is escaped, and characters that XML cannot hold, control characters and changes of writing
// direction are made visible (visible.h). Line breaks stay.
std::string xml(std::string_view text);
// The same for an attribute in double quotes, where a reader would make spaces of line breaks.
std::string xml_attribute(std::string_view text);

}  // namespace portcullis::formats
