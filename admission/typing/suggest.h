// Suggestions: the name that was probably meant.
// Tested by suggest_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

// Number of edits (insert, delete, replace a byte, swap two neighbours) that turn `a` into `b`.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that is nearest to `name`, or empty if none is near: a third of its length, at least one edit, or any
// difference in case. Of equally near ones the first in byte order.
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace portcullis
