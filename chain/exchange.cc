#include "chain/exchange.h"

#include <algorithm>

namespace portcullis::chain {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  for (const auto& [known, value] : headers) {
    if (std::ranges::equal(known, name, {}, lower, lower)) return value;
  }
  return {};
}

}  // namespace portcullis::chain
