#include "admission/crd/field_path.h"

#include <optional>

namespace portcullis::crd {
namespace {

bool is_delimiter(char c) { return c == '.' || c == '[' || c == ']'; }

// The next token: a delimiter, a quoted string, or the text before a delimiter. Empty at the end, and for an
// unclosed quote.
std::string_view next_token(std::string_view& rest) {
  size_t size = 0;
  if (rest.empty()) return {};
  if (rest[0] == '\'') {
    for (size = 1; size < rest.size(); ++size) {
      if (rest[size] == '\'' && rest[size - 1] != '\\') break;
    }
    size = std::min(size + 1, rest.size());
  } else if (is_delimiter(rest[0])) {
    size = 1;
  } else {
    while (size < rest.size() && !is_delimiter(rest[size])) ++size;
  }
  std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

Result<std::string> unescape(std::string_view text) {
  constexpr std::string_view kNames = "abfnrtv'\\", kCharacters = "\a\b\f\n\r\t\v'\\";
  std::string out, bad;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size() || text[i + 1] == '\n') {
      out += text[i];
      continue;
    }
    size_t at = kNames.find(text[++i]);
    if (at == std::string_view::npos)
      bad = text.substr(i - 1, 2);
    else
      out += kCharacters[at];
  }
  if (!bad.empty()) return Error{"invalid string literal: invalid escape char " + bad};
  return out;
}

// Walks the schema along the path.
class PathWalk {
 public:
  explicit PathWalk(const Schema& schema) : at_(&schema) {}
  FieldPath path() const { return {path_, at_}; }

  std::optional<Error> step(std::string_view name) {
    if (at_ == nullptr) return Error{"does not refer to a valid field"};
    if (!at_->properties.empty()) {
      path_ += (path_.empty() ? "" : ".") + std::string(name);
      at_ = at_->property(name);
      if (at_ == nullptr) return Error{"does not refer to a valid field"};
    } else if (at_->additional != nullptr || at_->additional_allowed) {
      path_ += "[" + std::string(name) + "]";
      at_ = at_->additional.get();  // null where anything is allowed
    } else {
      return Error{"does not refer to a valid field"};
    }
    return std::nullopt;
  }

 private:
  const Schema* at_;
  std::string path_;
};

}  // namespace

Result<FieldPath> valid_field_path(std::string_view rest, const Schema& schema, bool brackets) {
  PathWalk walk(schema);
  while (!rest.empty()) {
    std::string_view token = next_token(rest);
    if (token != "." && token != "[") return Error{"expected [ or . but got: " + std::string(token)};
    if (token == "[" && !brackets) return Error{"array notation is not allowed"};
    if (rest.empty()) return Error{"unexpected end of JSON path"};
    std::string_view name = next_token(rest);
    if (token == ".") {
      if (auto error = walk.step(name)) return *error;
      continue;
    }
    if (name.size() < 2 || name.front() != '\'' || name.back() != '\'') {
      return Error{"expected single quoted string but got " + std::string(name)};
    }
    Result<std::string> unescaped = unescape(name.substr(1, name.size() - 2));
    if (!unescaped.ok()) return unescaped.error();
    if (auto error = walk.step(*unescaped)) return *error;
    if (rest.empty()) return Error{"unexpected end of JSON path"};
    if (std::string_view close = next_token(rest); close != "]")
      return Error{"expected ] but got " + std::string(close)};
  }
  return walk.path();
}

}  // namespace portcullis::crd
