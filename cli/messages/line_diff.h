// Two texts -> the difference of their lines: for `normalize --diff` and `mutate --diff`.
//
// Idea: the longest common subsequence, by a table, since objects are short. Limit: where the lines that differ, from
// the first to the last, multiply to more than kMaxDiffSteps, they are shown as replaced. Tested by tests/cli/normalize.txt, tests/cli/mutate.txt.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

inline constexpr size_t kMaxDiffSteps = 16'000'000;

// Every line, marked with " ", "-" or "+" and a blank. `colour`: with the colours of a terminal.
std::string marked_lines(std::string_view before, std::string_view after, bool colour);

// The unified format of `diff -u`, with three lines around each change, which `patch` takes; empty if the texts
// are equal. `old_name` and `new_name` stand behind "---" and "+++".
std::string unified_diff(std::string_view before, std::string_view after, std::string_view old_name,
                         std::string_view new_name, bool colour);

}  // namespace portcullis
