#include "grammar/source.h"

#include <algorithm>
#include <utility>

#include "grammar/utf8.h"

namespace portcullis {

Source::Source(std::string_view text, std::string description)
    : text_(utf8::repair(text)), runes_(utf8::runes(text_)), description_(std::move(description)) {
  for (int32_t i = 0; i < size(); ++i) {
    if (runes_[static_cast<size_t>(i)] == U'\n') line_starts_.push_back(i + 1);
  }
}

Location Source::location(int32_t offset) const {
  const auto behind = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const int32_t start = behind == line_starts_.begin() ? 0 : *(behind - 1);
  return {static_cast<int32_t>(behind - line_starts_.begin()) + 1, offset - start};
}

int32_t Source::offset(Location location) const {
  if (runes_.empty()) return -1;  // cel-go finds no line in an empty text
  if (location.line == 1) return location.column;
  if (location.line < 1 || static_cast<size_t>(location.line) > line_starts_.size() + 1) return -1;
  return line_starts_[static_cast<size_t>(location.line) - 2] + location.column;
}

std::optional<std::string> Source::line(int32_t line) const {
  const auto count = static_cast<int32_t>(line_starts_.size()) + 1;
  if (line < 1 || line > count || runes_.empty()) return std::nullopt;
  const int32_t start = line == 1 ? 0 : line_starts_[static_cast<size_t>(line) - 2];
  return slice(start, line == count ? size() : line_starts_[static_cast<size_t>(line) - 1] - 1);
}

std::string Source::slice(int32_t start, int32_t stop) const {
  std::string out;
  for (int32_t i = std::max(start, 0); i < std::min(stop, size()); ++i) {
    utf8::append(out, runes_[static_cast<size_t>(i)]);
  }
  return out;
}

}  // namespace portcullis
