// See pattern.h.
#include "cli/suites/pattern.h"

#include <re2/re2.h>

#include "interpreter/values/json.h"

namespace portcullis::suites {
namespace {

std::string regex_of_glob(std::string_view glob) {
  std::string out = "(?s)^";
  for (char c : glob) {
    if (c == '*') {
      out += ".*";
    } else if (c == '?') {
      out += ".";
    } else {
      out += RE2::QuoteMeta(re2::StringPiece(&c, 1));
    }
  }
  return out + "$";
}

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(const std::string& text) : regex(text, RE2::Quiet) {}
  RE2 regex;
};

Result<Pattern> Pattern::make(Form form, std::string_view text) {
  Pattern out;
  out.form_ = form;
  out.text_ = text;
  if (form == Form::Glob) out.compiled_ = std::make_shared<const Compiled>(regex_of_glob(text));
  if (form == Form::Regex) out.compiled_ = std::make_shared<const Compiled>(out.text_);
  if (out.compiled_ != nullptr && !out.compiled_->regex.ok())
    return Error{"the regular expression has an error: " + out.compiled_->regex.error()};
  return out;
}

bool Pattern::matches(std::string_view text) const {
  if (form_ == Form::Contains) return text.find(text_) != text.npos;
  return compiled_ == nullptr
             ? text == text_
             : RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->regex);
}

std::string Pattern::words() const {
  switch (form_) {
    case Form::Exact: return quote_json(text_);
    case Form::Contains: return "a text with " + quote_json(text_);
    case Form::Glob: return "a text like " + quote_json(text_);
    case Form::Regex: return "a text that matches /" + text_ + "/";
  }
  return {};
}

}  // namespace portcullis::suites
