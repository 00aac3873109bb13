// Numbers in as few bytes as they need: seven bits in a byte, the lowest first; the last byte has its highest bit
// clear. Tested by manifests/source_text_test.cc, cli/reading/packed_documents_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portcullis {

inline void add_varint(std::string& out, uint64_t n) {
  for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
  out += static_cast<char>(n);
}

// Takes a number from the beginning of `rest`, which has one.
inline uint64_t take_varint(std::string_view& rest) {
  uint64_t out = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(rest.front());
    rest.remove_prefix(1);
    out |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return out;
  }
}

}  // namespace portcullis
