// Scalars without quotes that YAML does not take for texts: `name: n` is a bool, `version: 1.10` a number.
//
// Idea: where a text is wanted, an error names a bool or a number, which the author never wrote. The hint shows what
// the file has. Tested by tests/cli/unquoted.txt.
#pragma once

#include <string>
#include <string_view>

#include "grammar/result.h"
#include "manifests/source_text.h"

namespace portcullis {

inline constexpr std::string_view kUnquotedBool = "a bool", kUnquotedNumber = "a number";

// without quotes n is a bool; write "n"
// Empty if no bool or number begins at the position in `file`, or one of another sort than `wanted`, unless that is
// empty.
std::string unquoted_hint(const PointedText& file, Position position, std::string_view wanted = {});

}  // namespace portcullis
