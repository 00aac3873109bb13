// A text that a regular expression matches. Tested by tests/cli/test_init.txt.
#pragma once

#include <string>
#include <string_view>

namespace portcullis::drafts {

// Without what only lengthens it, of at most some 4,096 bytes; "x" for what is not understood.
std::string sample_of(std::string_view regex);

}  // namespace portcullis::drafts
