#include "interpreter/formats/text.h"

#include <algorithm>

#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "grammar/utf8.h"

namespace portcullis {
namespace {

// With fewer byte comparisons than this, a plain search from the end is fast enough.
constexpr size_t kPlainSearch = 1 << 16;

uint8_t byte_at(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }
bool is_continuation(uint8_t b) { return (b & 0xC0) == 0x80; }

int base64_digit(char c) {
  size_t i = kBase64Digits.find(c);
  return i == kBase64Digits.npos ? -1 : static_cast<int>(i);
}

}  // namespace

void append_rune(TextBuilder& out, char32_t rune) {
  if (!utf8::is_scalar(rune)) rune = utf8::kReplacement;
  if (rune < 0x80) return out.append(static_cast<char>(rune));
  if (rune < 0x800) {
    out.append(static_cast<char>(0xC0 | rune >> 6));
  } else {
    if (rune < 0x10000) {
      out.append(static_cast<char>(0xE0 | rune >> 12));
    } else {
      out.append(static_cast<char>(0xF0 | rune >> 18));
      out.append(static_cast<char>(0x80 | (rune >> 12 & 0x3F)));
    }
    out.append(static_cast<char>(0x80 | (rune >> 6 & 0x3F)));
  }
  out.append(static_cast<char>(0x80 | (rune & 0x3F)));
}

size_t rune_offset(std::string_view text, size_t index) {
  size_t i = 0;
  for (; index != 0; --index) {
    if (i >= text.size()) return text.npos;
    i += utf8::decode(text.substr(i)).size;
  }
  return i;
}

bool is_space(char32_t r) {
  if (r <= 0xFF) return (r >= '\t' && r <= '\r') || r == ' ' || r == 0x85 || r == 0xA0;
  return r == 0x1680 || (r >= 0x2000 && r <= 0x200A) || r == 0x2028 || r == 0x2029 || r == 0x202F ||
         r == 0x205F || r == 0x3000;
}

std::string_view trim_space(std::string_view text) {
  while (!text.empty()) {
    utf8::Rune r = utf8::decode(text);
    if (!is_space(r.value)) break;
    text.remove_prefix(r.size);
  }
  while (!text.empty()) {
    size_t start = text.size() - 1;  // at most three continuation bytes to skip backwards
    while (start > 0 && text.size() - start < 4 && is_continuation(byte_at(text, start))) --start;
    utf8::Rune r = utf8::decode(text.substr(start));
    if (start + r.size != text.size() || !is_space(r.value)) break;
    text.remove_suffix(r.size);
  }
  return text;
}

void append_quoted(TextBuilder& out, std::string_view text) { out.append(quote(text)); }

size_t find_first(std::string_view text, std::string_view needle) {
  if (needle.empty()) return 0;
  if (needle.size() > text.size())
    return text.npos;  // memmem must not get the null pointer that an empty text may have
  const void* p = memmem(text.data(), text.size(), needle.data(), needle.size());
  return p == nullptr ? text.npos : static_cast<size_t>(static_cast<const char*>(p) - text.data());
}

size_t find_last(std::string_view text, std::string_view needle, Arena& arena) {
  if (needle.size() > text.size()) return text.npos;
  if (needle.size() <= 1 || text.size() * needle.size() <= kPlainSearch) return text.rfind(needle);
  // memmem is linear, rfind is not: searches the reversed text from its front.
  char* mirror = arena.array<char>(text.size() + needle.size());
  std::reverse_copy(text.begin(), text.end(), mirror);
  std::reverse_copy(needle.begin(), needle.end(), mirror + text.size());
  size_t at = find_first({mirror, text.size()}, {mirror + text.size(), needle.size()});
  return at == text.npos ? at : text.size() - at - needle.size();
}

void append_base64(TextBuilder& out, std::string_view bytes) {
  char* p = out.extend((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t v = 0;
    for (size_t j = 0; j < 3; ++j) v = v << 8 | (j < n ? byte_at(bytes, i + j) : 0u);
    for (size_t j = 0; j < 4; ++j) *p++ = j <= n ? kBase64Digits[v >> (18 - 6 * j) & 63] : '=';
  }
}

std::optional<size_t> decode_base64(TextBuilder& out, std::string_view text, bool padded) {
  auto skip_breaks = [&](size_t& i) {
    while (i < text.size() && (text[i] == '\n' || text[i] == '\r')) ++i;
  };
  auto emit = [&](uint32_t v, size_t bytes) {
    for (size_t j = 0; j < bytes; ++j) out.append(static_cast<char>(v >> (16 - 8 * j)));
  };
  for (size_t i = 0; i < text.size();) {
    uint32_t v = 0;
    for (size_t j = 0; j < 4; ++j) {
      skip_breaks(i);
      if (i == text.size()) {
        if (j == 0) return std::nullopt;
        if (j == 1 || padded) return i - j;
        emit(v << (24 - 6 * j), j - 1);
        return std::nullopt;
      }
      int digit = base64_digit(text[i++]);
      if (digit >= 0) {
        v = v << 6 | static_cast<uint32_t>(digit);
        continue;
      }
      if (!padded || text[i - 1] != '=' || j < 2) return i - 1;
      if (j == 2) {  // a second '=' must follow
        skip_breaks(i);
        if (i == text.size()) return text.size();
        if (text[i] != '=') return i - 1;
        ++i;
      }
      skip_breaks(i);
      if (i < text.size()) return i;  // trailing garbage
      emit(v << (24 - 6 * j), j - 1);
      return std::nullopt;
    }
    emit(v, 3);
  }
  return std::nullopt;
}

}  // namespace portcullis
