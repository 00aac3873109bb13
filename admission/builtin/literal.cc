#include "admission/builtin/literal.h"

namespace portcullis::builtin {
namespace {

// Skips one valid JSON text without recursion, so its depth does not matter.
class Scanner {
 public:
  explicit Scanner(std::string_view json) : json_(json) {}

  std::string_view find(std::span<const Value> path) {
    for (const Value& step : path) {
      space();
      if (step.is(Kind::Int) ? !enter_item(step.as_int()) : !enter_member(step.as_text())) return {};
    }
    space();
    size_t from = at_;
    skip();
    return json_.substr(from, at_ - from);
  }

 private:
  char peek() const { return at_ < json_.size() ? json_[at_] : '\0'; }
  void space() {
    while (at_ < json_.size() &&
           (json_[at_] == ' ' || json_[at_] == '\n' || json_[at_] == '\t' || json_[at_] == '\r'))
      ++at_;
  }
  // The text between the quotes, with its escapes.
  std::string_view string() {
    size_t from = ++at_;
    while (at_ < json_.size() && json_[at_] != '"') at_ += json_[at_] == '\\' ? 2 : 1;
    std::string_view inside = json_.substr(from, at_ - from);
    if (at_ < json_.size()) ++at_;
    return inside;
  }
  void skip() {
    size_t depth = 0;
    do {
      space();
      char c = peek();
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
      } else if (c == '}' || c == ']') {
        --depth, ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else if (c == '\0') {
        return;
      } else {
        while (at_ < json_.size() &&
               std::string_view(" \n\t\r,:]}").find(json_[at_]) == std::string_view::npos)
          ++at_;
      }
    } while (depth > 0);
  }
  bool enter_item(int64_t index) {
    if (peek() != '[') return false;
    ++at_;
    for (int64_t i = 0; i < index; ++i) {
      skip();
      space();
      if (peek() != ',') return false;
      ++at_;
    }
    return true;
  }
  // A key with escapes is not found; its number is then spelt as Go prints it.
  bool enter_member(std::string_view key) {
    if (peek() != '{') return false;
    ++at_;
    size_t found = std::string_view::npos;
    for (space(); peek() == '"'; space()) {
      std::string_view name = string();
      space();
      ++at_;  // ':'
      if (name == key) found = at_;
      skip();
      space();
      if (peek() != ',') break;
      ++at_;
    }
    at_ = found;
    return found != std::string_view::npos;
  }

  std::string_view json_;
  size_t at_ = 0;
};

}  // namespace

std::string_view literal_at(std::string_view json, std::span<const Value> path) {
  return Scanner(json).find(path);
}

}  // namespace portcullis::builtin
