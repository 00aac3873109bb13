#include "cli/formats/cel_html.h"

#include <algorithm>
#include <array>

#include "cli/formats/xml.h"
#include "grammar/ascii.h"
#include "grammar/utf8.h"

namespace portcullis::formats {
namespace {

constexpr std::array<std::string_view, 10> kWords = {"true", "false",  "null", "in",         "has",
                                                     "all",  "exists", "map",  "exists_one", "filter"};

bool is_name(char c) { return is_alphanumeric(c) || c == '_' || (c & 0x80); }

// The length of the text in quotes at the start; all of it if the quotes do not end.
size_t quoted(std::string_view text) {
  std::string_view three = text.substr(0, 3);
  std::string_view end = three == "\"\"\"" || three == "'''" ? three : text.substr(0, 1);
  for (size_t i = end.size(); i < text.size(); i++) {
    if (text[i] == '\\') {
      i++;
    } else if (text.substr(i).starts_with(end)) {
      return i + end.size();
    }
  }
  return text.size();
}

size_t run_of(std::string_view text, bool (*member)(char)) {
  return static_cast<size_t>(std::ranges::find_if_not(text, member) - text.begin());
}

struct Token {
  size_t size;
  std::string_view style;  // a class of the page; empty: none
};

Token token_at(std::string_view text) {
  constexpr std::array<std::string_view, 8> kLong = {"&&", "||", "==", "!=", "<=", ">=", "?.", "[?"};
  char c = text[0];
  if (c == '"' || c == '\'') return {quoted(text), "s"};
  if (is_digit(c)) return {run_of(text, [](char d) { return is_name(d) || d == '.'; }), "n"};
  if (is_name(c)) {
    std::string_view name = text.substr(0, run_of(text, is_name));
    return {name.size(), std::ranges::find(kWords, name) != kWords.end() ? "k" : ""};
  }
  for (std::string_view two : kLong) {
    if (text.starts_with(two)) return {2, ""};
  }
  return {1, ""};
}

}  // namespace

std::string cel_html(std::string_view expression, int blame) {
  std::string out;
  size_t points = 0;  // code points before the token
  while (!expression.empty()) {
    Token token = token_at(expression);
    std::string_view text = expression.substr(0, token.size);
    size_t length = utf8::length(text);
    bool marked =
        blame >= 0 && static_cast<size_t>(blame) >= points && static_cast<size_t>(blame) < points + length;
    if (marked) out += "<mark>";
    if (!token.style.empty()) out.append("<span class=\"").append(token.style).append("\">");
    out += xml(text);
    if (!token.style.empty()) out += "</span>";
    if (marked) out += "</mark>";
    points += length;
    expression.remove_prefix(token.size);
  }
  return out;
}

}  // namespace portcullis::formats
