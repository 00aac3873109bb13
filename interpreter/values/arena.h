// Arena: bump allocation for the values of one evaluation or one document.
//
// Idea: values are never freed one by one. An arena is reset and its memory used again, so after warm-up a
// decision allocates nothing. Only trivially destructible objects live in it. Not thread-safe: an arena
// belongs to one thread at a time.
// Limits: Arena::Bounds limits what an evaluation may use, because a short expression can ask for values without end,
// such as lists that double with each step, which cost units do not count.
// Tested by interpreter/values/arena_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portcullis {

// Thrown when the bounds of an Arena are exceeded; evaluate() turns it into an error value.
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
  // Roughly the bytes that reset() keeps.
  static constexpr size_t kKept = 64 * 1024 * 1024;

  // While a Bounds lives, its arena throws BoundsExceeded instead of holding more than `bytes`, or, if it
  // holds that much already, much more than it does; and after `steps` calls of step(). A Bounds inside
  // another one has no effect.
  class Bounds {
   public:
    Bounds(Arena& arena, size_t bytes, uint64_t steps);
    ~Bounds();
    Bounds(const Bounds&) = delete;
    Bounds& operator=(const Bounds&) = delete;

   private:
    Arena* arena_;  // null: inside another
  };

  // While a Stop lives, step() asks it every kStepsBetween calls whether to go on, and throws BoundsExceeded if not.
  // A Stop inside another one has no effect.
  static constexpr uint64_t kStepsBetween = 1000;
  class Stop {
   public:
    explicit Stop(Arena& arena);
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;
    virtual bool wanted() const = 0;

   protected:
    ~Stop();

   private:
    Arena* arena_;  // null: inside another
  };

  Arena() = default;
  explicit Arena(size_t first_block) : first_block_(first_block) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // From now on it holds at most `bytes`, with and without a Bounds: beyond, it throws BoundsExceeded.
  void set_most(size_t bytes) { most_ = bytes; }

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

  // Uninitialised room for `n` objects of a trivially destructible T.
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

  // A copy of `text` that lives as long as the arena's content.
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* p = static_cast<char*>(allocate(text.size()));
    std::memcpy(p, text.data(), text.size());
    return {p, text.size()};
  }

  // Counts a step of work that neither costs units nor allocates: comparing values, counting their parts.
  void step() {
    if (steps_left_-- == 0) [[unlikely]]
      continue_steps();
  }

  // Asks the Stop at once, before work that takes long.
  void ask_stop() {
    if (stop_ != nullptr && stop_->wanted()) exceed();
  }

  // Forgets all content but keeps the blocks, up to kKept. All values of this arena become invalid.
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

  // The bytes of all blocks, used or not.
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
  void continue_steps();
  [[noreturn]] void exceed();

  std::vector<Block> blocks_;
  size_t first_block_ = kFirstBlock;
  size_t used_ = 0;  // index of the block that next_ points into
  size_t reserved_ = 0;
  size_t bytes_allowed_ = kNoBytes, most_ = kNoBytes;  // by a Bounds; always
  uint64_t steps_left_ = kNoSteps, steps_later_ = 0;   // until `stop_` is asked; after that
  const Stop* stop_ = nullptr;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

inline Arena::Bounds::Bounds(Arena& arena, size_t bytes, uint64_t steps)
    : arena_(arena.bytes_allowed_ == kNoBytes ? &arena : nullptr) {
  if (arena_ == nullptr) return;
  arena.bytes_allowed_ = std::max(bytes, arena.reserved_ + 2 * kMaxBlock);
  arena.steps_left_ = steps;
}

inline Arena::Bounds::~Bounds() {
  if (arena_ == nullptr) return;
  arena_->bytes_allowed_ = kNoBytes;
  arena_->steps_left_ = kNoSteps;
}

}  // namespace portcullis
