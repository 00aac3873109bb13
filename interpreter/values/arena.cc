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
  const size_t allowed = std::min(bytes_allowed_, most_);
  if (want > allowed - std::min(allowed, reserved_)) exceed();
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

Arena::Stop::Stop(Arena& arena) : arena_(arena.stop_ == nullptr ? &arena : nullptr) {
  if (arena_ == nullptr) return;
  arena.stop_ = this;
  arena.steps_later_ = arena.steps_left_ - std::min(arena.steps_left_, kStepsBetween);
  arena.steps_left_ -= arena.steps_later_;
}

Arena::Stop::~Stop() {
  if (arena_ == nullptr) return;
  arena_->steps_left_ += arena_->steps_later_;
  arena_->steps_later_ = 0;
  arena_->stop_ = nullptr;
}

void Arena::continue_steps() {
  if (steps_later_ == 0 || stop_->wanted()) exceed();
  const uint64_t now = std::min(steps_later_, kStepsBetween);
  steps_later_ -= now;
  steps_left_ = now - 1;  // one is taken
}

void Arena::exceed() {
  // Within a Bounds every further step ends here as well.
  if (bytes_allowed_ != kNoBytes || stop_ != nullptr) steps_left_ = steps_later_ = 0;
  throw BoundsExceeded();
}

}  // namespace portcullis
