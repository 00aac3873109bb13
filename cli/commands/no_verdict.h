// The end of a command that cannot answer: the error on standard error, and the exit status for it.
// Tested by tests/cli/cost.txt.
#pragma once

#include <string_view>

namespace portcullis {

// Says an error that belongs to no file; returns kNoVerdict.
int no_verdict(std::string_view error);

}  // namespace portcullis
