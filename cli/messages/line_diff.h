// The difference of two texts, line by line: for `normalize --diff` and `mutate --diff`.
//
// Idea: a table finds the longest common subsequence, since objects are short. Limits: let m and n be the
// numbers of lines from the first to the last difference; if m * n exceeds kMaxDiffSteps, these lines are
// shown as replaced. Tested by tests/cli/normalize.txt, tests/cli/mutate.txt.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

inline constexpr size_t kMaxDiffSteps = 16'000'000;

// Every line, after " ", "-" or "+" and a space. `colour`: with the colours of a terminal.
std::string marked_lines(std::string_view before, std::string_view after, bool colour);

// The unified format of `diff -u`, with three lines around each change, which `patch` accepts; empty if the
// texts are equal. `old_name` and `new_name` follow "---" and "+++".
std::string unified_diff(std::string_view before, std::string_view after, std::string_view old_name,
                         std::string_view new_name, bool colour);

}  // namespace portcullis
