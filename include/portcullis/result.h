// Result<T>: what a call gives, or the Error that says why it gives nothing.
//
// Nothing of Portcullis throws, but std::bad_alloc where there is no memory. Ask a Result before it is read: who reads
// the side that is not there ends the program (std::abort).
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace portcullis::v1 {

// Why something failed: one sentence for people, and where in the text that was read: line and column from 1, the
// column in code points, 0 where there is no place.
struct Error {
  std::string text;
  int line = 0, column = 0;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  // The value. Only where ok().
  T& operator*() & { return get<0>(state_); }
  const T& operator*() const& { return get<0>(state_); }
  T&& operator*() && { return std::move(get<0>(state_)); }
  T* operator->() { return &get<0>(state_); }
  const T* operator->() const { return &get<0>(state_); }
  // The error. Only where not ok().
  const Error& error() const { return get<1>(state_); }

 private:
  template <size_t I, class S>
  static auto& get(S& state) {
    auto* side = std::get_if<I>(&state);
    if (side == nullptr) std::abort();
    return *side;
  }
  std::variant<T, Error> state_;
};

}  // namespace portcullis::v1
