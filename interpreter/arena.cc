#include "interpreter/arena.h"

#include <algorithm>

namespace portcullis {

void* Arena::allocate_slow(size_t size) {
  // Blocks kept by reset() are used again in order; one that is too small for this request is skipped.
  while (!blocks_.empty() && used_ + 1 < blocks_.size()) {
    Block& block = blocks_[++used_];
    next_ = block.memory.get();
    end_ = next_ + block.size;
    if (size <= block.size) {
      next_ += size;
      return next_ - size;
    }
  }
  size_t want = blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size * 2, kMaxBlock);
  want = std::max(want, size);
  blocks_.push_back({std::make_unique_for_overwrite<char[]>(want), want});
  used_ = blocks_.size() - 1;
  next_ = blocks_.back().memory.get() + size;
  end_ = blocks_.back().memory.get() + want;
  return next_ - size;
}

}  // namespace portcullis
