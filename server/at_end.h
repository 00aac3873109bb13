// Does something at the end of a scope, or of a coroutine that takes it as a parameter, also when an exception passes.
// Tested by tests/server/lifecycle.py.
#pragma once

#include <utility>

namespace portcullis::server {

template <class Action>
class AtEnd {
 public:
  explicit AtEnd(Action action) : action_(std::move(action)) {}
  AtEnd(AtEnd&& other) noexcept
      : action_(std::move(other.action_)), acts_(std::exchange(other.acts_, false)) {}
  AtEnd& operator=(AtEnd&&) = delete;
  ~AtEnd() {
    if (acts_) action_();
  }

 private:
  Action action_;
  bool acts_ = true;
};

}  // namespace portcullis::server
