// TextBuilder: builds a text in an arena, piece by piece.
//
// Idea: one run of bytes in an Arena, copied into one of twice the size when it is full. The result is a view
// that lives as long as the arena's content. Outgrown runs stay in the arena until it is reset; together they
// are at most as long as the text.
// Tested by interpreter/values/json_test.cc.
#pragma once

#include <cstring>
#include <initializer_list>
#include <string_view>

#include "interpreter/values/arena.h"

namespace portcullis {

class TextBuilder {
 public:
  explicit TextBuilder(Arena& arena) : arena_(arena) {}

  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(extend(text.size()), text.data(), text.size());
  }
  void append(char c) { *extend(1) = c; }
  void append(size_t count, char c) {
    if (count != 0) std::memset(extend(count), c, count);
  }

  // Room for `count` more bytes. They count as appended; the caller fills them.
  char* extend(size_t count) {
    if (count > capacity_ - size_) grow(count);
    char* p = data_ + size_;
    size_ += count;
    return p;
  }
  // Removes the last `count` bytes.
  void drop(size_t count) { size_ -= count; }

  size_t size() const { return size_; }
  Arena& arena() { return arena_; }
  // The text so far. Valid until the next append, and at most as long as the arena's content.
  std::string_view view() const { return {data_, size_}; }

 private:
  void grow(size_t count) {
    size_t capacity = capacity_ < 64 ? 64 : capacity_ * 2;
    while (capacity - size_ < count) capacity *= 2;
    char* data = static_cast<char*>(arena_.allocate(capacity));
    if (size_ != 0) std::memcpy(data, data_, size_);
    data_ = data;
    capacity_ = capacity;
  }

  Arena& arena_;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// The parts as one text in the arena.
inline std::string_view joined(Arena& arena, std::initializer_list<std::string_view> parts) {
  TextBuilder out(arena);
  for (std::string_view part : parts) out.append(part);
  return out.view();
}

}  // namespace portcullis
