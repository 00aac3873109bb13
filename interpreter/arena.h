// Arena: bump allocation for the values of one evaluation or one document.
//
// Idea: values are never freed one by one; an arena is reset and its memory used again, so that after warm-up
// a decision allocates nothing. Not thread-safe: one arena belongs to one thread at a time.
// Only trivially destructible things live in it. Tested by interpreter/arena_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portcullis {

class Arena {
 public:
  // Size of the first block in bytes; each further block is twice the one before, up to kMaxBlock.
  static constexpr size_t kFirstBlock = 16 * 1024;
  static constexpr size_t kMaxBlock = 4 * 1024 * 1024;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // `size` bytes aligned to 16; valid until reset() or destruction. Never null (throws bad_alloc like new).
  void* allocate(size_t size) {
    size = (size + 15) & ~size_t{15};
    if (size <= static_cast<size_t>(end_ - next_)) [[likely]] {
      void* p = next_;
      next_ += size;
      return p;
    }
    return allocate_slow(size);
  }

  // Room for `n` objects of trivially destructible T, not initialised.
  template <class T>
  T* array(size_t n) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return static_cast<T*>(allocate(n * sizeof(T)));
  }

  template <class T, class... A>
  T* make(A&&... a) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return new (allocate(sizeof(T))) T{std::forward<A>(a)...};
  }

  // A copy of `text` that lives as long as the arena's contents.
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* p = static_cast<char*>(allocate(text.size()));
    std::memcpy(p, text.data(), text.size());
    return {p, text.size()};
  }

  // Forgets everything but keeps the blocks. All values of this arena are dead afterwards.
  void reset() {
    used_ = 0;
    if (blocks_.empty()) {
      next_ = end_ = nullptr;
    } else {
      next_ = blocks_[0].memory.get();
      end_ = next_ + blocks_[0].size;
    }
  }

  // Bytes held in blocks, used or not.
  size_t reserved() const {
    size_t sum = 0;
    for (const Block& b : blocks_) sum += b.size;
    return sum;
  }

 private:
  struct Block {
    std::unique_ptr<char[]> memory;
    size_t size;
  };

  void* allocate_slow(size_t size);

  std::vector<Block> blocks_;
  size_t used_ = 0;  // index of the block that next_ points into
  char* next_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace portcullis
