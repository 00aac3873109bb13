// What helps against an object that does not decode because a text has no quotes (manifests/unquoted.h).
// Tested by tests/cli/unquoted.txt.
#pragma once

#include <string>
#include <string_view>

#include "cli/reading/input.h"

namespace portcullis {

// `path`: of the scalar in `object`; `error`: the error of decoding. Empty if that is about something else, or the place is unknown.
std::string unquoted_hint(const InputObject& object, std::string_view path, std::string_view error);

}  // namespace portcullis
