// A text that part of a result must equal, contain or match. Tested by tests/cli/test.txt.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "grammar/result.h"

namespace portcullis::suites {

class Pattern {
 public:
  enum class Form { Exact, Contains, Glob, Regex };
  // Fails if a regular expression has an error. A regular expression may match anywhere; a glob is `*` and `?`, and
  // matches the whole text.
  static Result<Pattern> make(Form form, std::string_view text);
  bool matches(std::string_view text) const;
  // Whether it is the whole text.
  bool exact() const { return form_ == Form::Exact; }
  // For people: "x", or text that matches /x/.
  std::string words() const;
  const std::string& text() const { return text_; }

 private:
  struct Compiled;
  Form form_ = Form::Exact;
  std::string text_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace portcullis::suites
