#include "grammar/utf8.h"

#include <cstring>

namespace portcullis::utf8 {
namespace {

// Length of the sequence that a lead byte starts, and the range its second byte must lie in (this is what
// rules out overlong forms, surrogates and values above 10FFFF); length 0: not a lead byte.
struct Lead {
  uint8_t size, low, high;
};

constexpr Lead lead(uint8_t byte) {
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

constexpr bool continues(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Takes the ASCII at the beginning off the text: most texts are nothing else.
std::string_view take_ascii(std::string_view& text) {
  size_t size = 0;
  for (uint64_t eight; size + sizeof eight <= text.size(); size += sizeof eight) {
    std::memcpy(&eight, text.data() + size, sizeof eight);
    if ((eight & 0x8080808080808080) != 0) break;
  }
  while (size < text.size() && static_cast<uint8_t>(text[size]) < 0x80) size++;
  const std::string_view out = text.substr(0, size);
  text.remove_prefix(size);
  return out;
}

}  // namespace

Rune decode(std::string_view text) {
  if (text.empty()) return {kReplacement, 0};
  const auto at = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = at(0);
  if (first < 0x80) return {first, 1};
  const auto [size, low, high] = lead(first);
  if (size == 0 || text.size() < size || at(1) < low || at(1) > high) return {kReplacement, 1};
  char32_t value = first & (0x7F >> size);
  value = value << 6 | (at(1) & 0x3F);
  for (uint32_t i = 2; i < size; ++i) {
    if (!continues(at(i))) return {kReplacement, 1};
    value = value << 6 | (at(i) & 0x3F);
  }
  return {value, size};
}

void append(std::string& out, char32_t rune) {
  if (!is_scalar(rune)) rune = kReplacement;
  if (rune < 0x80) {
    out += static_cast<char>(rune);
  } else if (rune < 0x800) {
    out += static_cast<char>(0xC0 | rune >> 6);
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    out += static_cast<char>(0xE0 | rune >> 12);
    out += static_cast<char>(0x80 | (rune >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | rune >> 18);
    out += static_cast<char>(0x80 | (rune >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (rune >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  }
}

bool valid(std::string_view text) {
  for (take_ascii(text); !text.empty(); take_ascii(text)) {
    const Rune rune = decode(text);
    if (rune.size == 1) return false;
    text.remove_prefix(rune.size);
  }
  return true;
}

size_t length(std::string_view text) {
  size_t count = 0;
  for (count += take_ascii(text).size(); !text.empty(); count += take_ascii(text).size()) {
    text.remove_prefix(decode(text).size);
    count++;
  }
  return count;
}

std::string repair(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (out += take_ascii(text); !text.empty(); out += take_ascii(text)) {
    const Rune rune = decode(text);
    append(out, rune.value);
    text.remove_prefix(rune.size);
  }
  return out;
}

std::u32string runes(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  const auto add_ascii = [&] {
    const std::string_view ascii = take_ascii(text);
    out.append(ascii.begin(), ascii.end());
  };
  for (add_ascii(); !text.empty(); add_ascii()) {
    const Rune rune = decode(text);
    out += rune.value;
    text.remove_prefix(rune.size);
  }
  return out;
}

}  // namespace portcullis::utf8
