// See source_text.h.
#include "manifests/source_text.h"

#include <lz4.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace portcullis {
namespace {

// Smaller texts are not worth the time or the marks, and LZ4 takes no larger ones.
constexpr size_t kLeastText = 64 * 1024, kLargestText = LZ4_MAX_INPUT_SIZE;

// Empty if that does not make it much smaller.
std::string packed(const std::string& text) {
  constexpr int kLeastRatio = 4;
  const int size = static_cast<int>(text.size()), most = size / kLeastRatio;
  // Memory that is not written takes none.
  const auto out = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(most));
  return {out.get(), static_cast<size_t>(LZ4_compress_default(text.data(), out.get(), size, most))};
}

}  // namespace

struct SourceText::Packed {
  Packed(std::string packed, size_t whole) : bytes(std::move(packed)), size(whole) {}

  std::string bytes;
  size_t size;
  std::once_flag once;
  std::string text;
};

struct SourceText::Marks {
  std::once_flag once;
  std::vector<TextMark> marks;

  void make(std::string_view text);
};

void SourceText::Marks::make(std::string_view text) {
  constexpr size_t kBetween = 1024;
  const auto continues = [](char c) { return (c & 0xc0) == 0x80; };
  marks.clear();  // of an attempt that had no memory
  for (TextMark next; next.at < text.size();) {
    marks.push_back(next);
    size_t end = std::min(next.at + kBetween, text.size());
    while (end < text.size() && continues(text[end])) end++;
    std::string_view passed = text.substr(next.at, end - next.at);
    if (const size_t last = passed.rfind('\n'); last != passed.npos) {
      next.line_start = next.at + last + 1;
      next.position = {next.position.line + static_cast<int>(std::ranges::count(passed, '\n')), 1};
      passed.remove_prefix(last + 1);
    }
    next.position.column += static_cast<int>(std::ranges::count_if(passed, std::not_fn(continues)));
    next.at = end;
  }
}

SourceText::SourceText(std::string text) : text_(std::move(text)) {
  if (text_.size() >= kLeastText) marks_ = std::make_shared<Marks>();
}

TextMark PointedText::mark_before(Position position) const {
  if (marks_ == nullptr) return {};
  std::call_once(marks_->once, [&] { marks_->make(text_); });
  const auto order = [](Position p) { return std::pair(p.line, p.column); };
  const auto& marks = marks_->marks;
  const auto behind = std::ranges::upper_bound(marks, order(position), {},
                                               [&](const TextMark& m) { return order(m.position); });
  return behind == marks.begin() ? TextMark() : behind[-1];
}

void SourceText::pack() {
  if (packed_ != nullptr || text_.size() < kLeastText || text_.size() > kLargestText) return;
  std::string bytes = packed(text_);
  if (bytes.empty()) return;
  packed_ = std::make_shared<Packed>(std::move(bytes), text_.size());
  std::string().swap(text_);  // an assignment would keep the memory
}

size_t SourceText::memory() const { return packed_ == nullptr ? text_.size() : packed_->bytes.size(); }

std::string_view SourceText::unpacked() const {
  std::call_once(packed_->once, [&] {
    packed_->text.resize(packed_->size);
    const int size = static_cast<int>(packed_->size);
    const int got = LZ4_decompress_safe(packed_->bytes.data(), packed_->text.data(),
                                        static_cast<int>(packed_->bytes.size()), size);
    if (got != size) std::abort();  // these are bytes of packed()
    std::string().swap(packed_->bytes);
  });
  return packed_->text;
}

}  // namespace portcullis
