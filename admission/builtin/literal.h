// Finds the spelling of a number in a JSON text by its path. Values do not keep it; only error texts and
// quantities of the API server show it, so it is looked up when they need it. Tested by
// admission/builtin/normalize_test.cc.
#pragma once

#include <span>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::builtin {

// The token at `path` (keys as strings, indices as ints, outermost first) of a valid JSON text; the last of
// duplicate keys counts. Empty if there is none.
std::string_view literal_at(std::string_view json, std::span<const Value> path);

}  // namespace portcullis::builtin
