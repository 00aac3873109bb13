// Lists in messages. Tested by cli/messages/lists_test.cc.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

// "a", "a and b", "a, b and c"; `last` stands in place of " and ".
std::string listed(const std::vector<std::string>& words, std::string_view last = " and ");

// The first `most` of `all` as `word` writes them, and how many more there are: "a, b and 3 more".
template <typename List, typename Word = std::identity>
std::string first_few(const List& all, size_t most, Word word = {}) {
  std::string out;
  for (size_t i = 0; i < std::min(all.size(), most); i++)
    out.append(i == 0 ? "" : ", ").append(std::invoke(word, all[i]));
  if (all.size() > most) out += " and " + std::to_string(all.size() - most) + " more";
  return out;
}

// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace portcullis
