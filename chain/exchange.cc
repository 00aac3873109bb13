#include "chain/exchange.h"

#include <algorithm>

namespace portcullis::chain {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  constexpr std::string_view kSpace = " \t";
  for (const auto& [known, value] : headers) {
    if (!std::ranges::equal(known, name, {}, lower, lower)) continue;
    const size_t first = std::min(value.find_first_not_of(kSpace), value.size());
    return std::string_view(value).substr(first, value.find_last_not_of(kSpace) + 1 - first);
  }
  return {};
}

}  // namespace portcullis::chain
