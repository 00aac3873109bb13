// The smallest value of a schema: where the search for an object that its definition admits begins.
//
// Idea: bounds, formats and what is required give it; elements of sets and maps differ. Limits: pattern, not, and
// what is not `required` below anyOf, oneOf and allOf are not read. Tested by tests/cli/test_definitions.txt.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::drafts {

inline constexpr int kDeepest = 50;  // schema that is read

// A text of a format; empty if it is unknown.
std::string_view text_of_format(std::string_view format);

// In JSON; its size has a bound.
std::string smallest_of(const Value& schema);

}  // namespace portcullis::drafts
