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

Result<std::string> decode_utf16(std::string_view bytes, bool big) {
  std::string out;
  out.reserve(bytes.size());
  Position at{1, 1};
  for (size_t i = 0; i < bytes.size(); i += 2) {
    if (i + 1 == bytes.size()) return Error{"the UTF-16 text ends within a character", at};
    char32_t c = unit(bytes, i, big);
    bool high = c >= 0xd800 && c < 0xdc00;
    char32_t low = high && i + 3 < bytes.size() ? unit(bytes, i + 2, big) : 0;
    if (low >= 0xdc00 && low < 0xe000) {
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      i += 2;
    }
    if (!utf8::is_scalar(c)) return Error{"half a surrogate pair in UTF-16 text", at};
    utf8::append(out, c);
    at = c == '\n' ? Position{at.line + 1, 1} : Position{at.line, at.column + 1};
  }
  return out;
}

}  // namespace

Result<DecodedText> decode_text(std::string bytes) {
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv))
    return Error{"UTF-32 is not read here, nor by kubectl; want UTF-8"};
  bool big = bytes.starts_with("\xfe\xff"), little = bytes.starts_with("\xff\xfe");
  if (big || little) {
    Result<std::string> text = decode_utf16(std::string_view(bytes).substr(2), big);
    if (!text.ok()) return text.error();
    return DecodedText{std::move(*text), Encoding::Utf16};
  }
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  return DecodedText{std::move(bytes), Encoding::Utf8};
}

}  // namespace portcullis
