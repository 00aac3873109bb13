// Suggestions for misspelt words: "unknown flag --opration; did you mean --operation?"
//
// Idea: edit distance with transpositions (optimal string alignment). The distance of a suggestion must be
// small in relation to its length, since a wrong suggestion is worse than none. Used by the command line and
// for fields of policies. Tested by spelling_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portcullis {

// The candidate nearest to `word`, the first if several are; empty if none is near. A candidate is near if at
// most a third of the letters differ, or only their case.
std::string_view nearest(std::string_view word, std::span<const std::string> candidates);

// "did you mean X?"; empty if `meant` is.
std::string did_you_mean(std::string_view meant);

}  // namespace portcullis
