// Arena: bump allocation for the values of one evaluation or one document.
//
// Idea: values are never freed one by one; an arena is reset and its memory used again, so that after warm-up
// a decision allocates nothing. Not thread-safe: one arena belongs to one thread at a time.
// Only trivially destructible things live in it.
// What an evaluation may use is bounded (Arena::Bounds): short expressions can ask for values without end
// ([1].map(x, x + x)... of lists), which cost units do not count. Tested by interpreter/values/arena_test.cc.
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

// Thrown within Arena::Bounds when they are exceeded; evaluate() turns it into an error value.
class BoundsExceeded : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "bounds of memory or steps exceeded"; }
};

class Arena {
 public:
  // Size of the first block in bytes, if nothing else is said; each further block is twice the one before, up to
  // kMaxBlock.
  static constexpr size_t kFirstBlock = 16 * 1024;
  static constexpr size_t kMaxBlock = 4 * 1024 * 1024;
  // What reset() keeps, about.
  static constexpr size_t kKept = 64 * 1024 * 1024;

  // While it lives, its arena throws BoundsExceeded rather than hold more than `bytes` (or, where it holds so
  // much already, much more than it does), and after `steps` calls of step(). One within another has no effect.
  class Bounds {
   public:
    Bounds(Arena& arena, size_t bytes, uint64_t steps);
    ~Bounds();
    Bounds(const Bounds&) = delete;
    Bounds& operator=(const Bounds&) = delete;

   private:
    Arena* arena_;  // null: within another
  };

  Arena() = default;
  explicit Arena(size_t first_block) : first_block_(first_block) {}
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
    if (n > kMostBytes / sizeof(T)) [[unlikely]]
      exceed();
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

  // Counts a step of work that costs neither units nor memory: comparing values, counting their parts.
  void step() {
    if (steps_left_-- == 0) [[unlikely]]
      exceed();
  }

  // Forgets everything but keeps blocks, up to kKept. All values of this arena are dead afterwards.
  void reset() {
    if (reserved_ > kKept) [[unlikely]]
      shrink();
    used_ = 0;
    if (blocks_.empty()) {
      next_ = end_ = nullptr;
    } else {
      next_ = blocks_[0].memory.get();
      end_ = next_ + blocks_[0].size;
    }
  }

  // Bytes held in blocks, used or not.
  size_t reserved() const { return reserved_; }

 private:
  struct Block {
    std::unique_ptr<char[]> memory;
    size_t size;
  };

  static constexpr size_t kNoBytes = ~size_t{0};
  static constexpr size_t kMostBytes = kNoBytes / 2;
  static constexpr uint64_t kNoSteps = ~uint64_t{0};

  void* allocate_slow(size_t size);
  void shrink();
  [[noreturn]] void exceed();

  std::vector<Block> blocks_;
  size_t first_block_ = kFirstBlock;
  size_t used_ = 0;  // index of the block that next_ points into
  size_t reserved_ = 0;
  size_t bytes_allowed_ = kNoBytes;
  uint64_t steps_left_ = kNoSteps;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace portcullis
