// What a misspelt word was meant to be: "unknown flag --opration; did you mean --operation?"
//
// Idea: edit distance with swapped neighbours (optimal string alignment); a suggestion must be near in
// relation to its length, since a wrong one is worse than none. Used by the command line and for fields of
// policies. Tested by spelling_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portcullis {

// Insertions, deletions, replacements and swaps of neighbours (bytes) that make one word the
// other; case counts half.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, the first of several; empty if none is near enough (a third of the word's
// length, or any difference in case).
std::string_view nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace portcullis
