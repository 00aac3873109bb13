// What helps against errors of JSON patches that say only what is wrong.
//
// Limits: knows the object as it was before the patch, not what the patch's own operations did before the one that
// fails. Tested by tests/cli/mutate.txt.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// For "doc is missing path": what `object`, as the mutation saw it, lacks above the path, and what adds it; empty if it
// lacks nothing there. For values without a JSON form: what has one. Empty for other messages.
std::string patch_hint(std::string_view message, const Value& object);

}  // namespace portcullis
