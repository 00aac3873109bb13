// Scalars without quotes that YAML does not take for texts: `name: n` is a bool, `version: 1.10` a number.
//
// Idea: where a text is wanted, the API server's error names a bool or a number, which the author never wrote. The
// hint shows what the file has. Tested by tests/cli/unquoted.txt.
#pragma once

#include <string>
#include <string_view>

#include "cli/reading/input.h"

namespace portcullis {

// without quotes n is a bool; write "n"
// `path`: of the scalar in `object`; `error`: the error of decoding. Empty if that is about something else, or the place is unknown.
std::string unquoted_hint(const InputObject& object, std::string_view path, std::string_view error);

}  // namespace portcullis
