#include "interpreter/values/arena.h"

#include <algorithm>

namespace portcullis {

void* Arena::allocate_slow(size_t size) {
  // Uses the blocks that reset() kept, in order, and skips those too small for this request.
  while (!blocks_.empty() && used_ + 1 < blocks_.size()) {
    Block& block = blocks_[++used_];
    next_ = block.memory.get();
    end_ = next_ + block.size;
    if (size <= block.size) {
      next_ += size;
      return next_ - size;
    }
  }
  size_t want = blocks_.empty() ? first_block_ : std::min(blocks_.back().size * 2, kMaxBlock);
  want = std::max(want, size);
  if (want > bytes_allowed_ - std::min(bytes_allowed_, reserved_)) exceed();
  blocks_.push_back({std::make_unique_for_overwrite<char[]>(want), want});
  reserved_ += want;
  used_ = blocks_.size() - 1;
  next_ = blocks_.back().memory.get() + size;
  end_ = blocks_.back().memory.get() + want;
  return next_ - size;
}

void Arena::shrink() {
  while (reserved_ > kKept) {
    reserved_ -= blocks_.back().size;
    blocks_.pop_back();
  }
}

void Arena::exceed() {
  steps_left_ = 0;  // every further step ends here as well
  throw BoundsExceeded();
}

}  // namespace portcullis
