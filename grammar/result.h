// Result<T>: a value or an Error, for failures outside an evaluation (bad input, bad configuration).
//
// Idea: errors are values; no function that a folder offers throws. CEL's own errors are not Results: they
// are `Value`s of kind Error (interpreter/values/value.h), and the two never mix.
// Tested by grammar/result_test.cc.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace portcullis {

// A place in a text. Lines and columns start at 1, columns count code points; 0 means that the place is
// unknown.
struct Position {
  int line = 0;
  int column = 0;
};

// A failure: a sentence for people and a place. `text` has neither position nor file name; the caller that
// knows the file puts it in front.
struct Error {
  std::string text;
  Position position = {};
};

// A T or an Error. Ask `ok()` first: a caller that reads the other side has a bug. (For a value std::get
// throws, for Result<void> an assertion fails.)
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  [[nodiscard]] bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(failed_);
    return error_;
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace portcullis
