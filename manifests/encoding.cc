// See encoding.h.
#include "manifests/encoding.h"

#include <string_view>

#include "grammar/utf8.h"

namespace portcullis {
namespace {

using namespace std::literals;

// The 16-bit unit at byte `at`.
char32_t unit(std::string_view bytes, size_t at, bool big) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  return big ? static_cast<char32_t>(byte(0) << 8 | byte(1)) : static_cast<char32_t>(byte(1) << 8 | byte(0));
}

bool is_surrogate(char32_t unit) { return unit >= 0xd800 && unit < 0xe000; }
bool is_low(char32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

std::string decode_utf16(std::string_view bytes, bool big) {
  std::string out;
  out.reserve(bytes.size());
  size_t i = 0;
  while (i + 1 < bytes.size()) {
    char32_t c = unit(bytes, i, big);
    i += 2;
    if (is_surrogate(c) && i + 1 < bytes.size()) {
      const char32_t next = unit(bytes, i, big);
      if (is_low(next)) {  // a second half goes with the half before it, even if that is a second one, too
        c = is_low(c) ? utf8::kReplacement : 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
        i += 2;
      }
    }
    utf8::append(out, c);
  }
  if (i < bytes.size()) utf8::append(out, utf8::kReplacement);
  return out;
}

// The size of what one U+FFFD replaces at the beginning of a text that begins with no character: the beginning of
// one, or a byte. (W3C's way, and that of golang.org/x/text; Go itself, and so grammar/utf8.h, replaces each byte.)
size_t ill_formed(std::string_view text) {
  for (size_t size : {size_t{3}, size_t{2}}) {
    if (text.size() >= size && utf8::decode(std::string(text.substr(0, size)) + "\x80\x80").size > size)
      return size;
  }
  return 1;
}

std::string repair(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t size = 0; !text.empty(); text.remove_prefix(size)) {
    const utf8::Rune rune = utf8::decode(text);
    utf8::append(out, rune.value);
    const bool invalid = rune.value == utf8::kReplacement && rune.size == 1;
    size = invalid ? ill_formed(text) : rune.size;
  }
  return out;
}

}  // namespace

Result<std::string> decode_text(std::string bytes) {
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv))
    return Error{"UTF-32 is not read here, nor by kubectl; want UTF-8"};
  const bool big = bytes.starts_with("\xfe\xff"), little = bytes.starts_with("\xff\xfe");
  if (big || little) return decode_utf16(std::string_view(bytes).substr(2), big);
  if (bytes.starts_with("\xef\xbb\xbf")) {
    bytes.erase(0, 3);
  } else if (!utf8::valid(bytes)) {
    bytes = repair(bytes);
  }
  return bytes;
}

}  // namespace portcullis
