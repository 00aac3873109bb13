#include "chain/exchange.h"

#include <algorithm>
#include <random>

#include "grammar/ascii.h"

namespace portcullis::chain {

std::string_view HttpAnswer::header(std::string_view name) const {
  constexpr std::string_view kSpace = " \t";
  for (const auto& [known, value] : headers) {
    if (!std::ranges::equal(known, name, {}, to_lower, to_lower)) continue;
    const size_t first = std::min(value.find_first_not_of(kSpace), value.size());
    return std::string_view(value).substr(first, value.find_last_not_of(kSpace) + 1 - first);
  }
  return {};
}

std::string random_uid() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 16; i++) {
    unsigned byte = random() & 0xff;
    if (i == 6) byte = (byte & 0x0f) | 0x40;  // version 4
    if (i == 8) byte = (byte & 0x3f) | 0x80;
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += {kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  }
  return out;
}

}  // namespace portcullis::chain
