// Result<T>: the result of a call, or an Error that says why there is none.
//
// Portcullis throws nothing but std::bad_alloc. Test a Result before reading it: reading the side that it
// does not hold ends the program (std::abort).
// Tested by library/engine_test.cc.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace portcullis::v1 {

// The reason of a failure as a sentence for people, and its place in the text that was read: line and column
// from 1, column in code points; 0 if there is no place.
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

  // The value. Allowed only if ok().
  T& operator*() & { return get<0>(state_); }
  const T& operator*() const& { return get<0>(state_); }
  T&& operator*() && { return std::move(get<0>(state_)); }
  T* operator->() { return &get<0>(state_); }
  const T* operator->() const { return &get<0>(state_); }
  // The error. Allowed only if not ok().
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
