// What helps against errors of JSON patches that say only what is missing.
//
// Limits: knows the object as it was before the patch, not what the patch's own operations did before the one that
// fails. Tested by tests/cli/mutate.txt.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// For "doc is missing path": what `object`, as the mutation saw it, lacks above the path, and what adds it. Empty for
// other messages, and if the object lacks nothing there.
std::string missing_path_hint(std::string_view message, const Value& object);

}  // namespace portcullis
