#include "grammar/escape.h"

#include <algorithm>
#include <array>

#include "grammar/ascii.h"

namespace portcullis {
namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

struct Escape {
  std::string_view text, name;
};
constexpr Escape kEscapes[] = {{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}};

bool is_plain(char c) { return is_alphanumeric(c) || c == '_'; }

}  // namespace

bool is_reserved_word(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

std::optional<std::string> escape_property(std::string_view name) {
  if (name.empty() || is_digit(name[0])) return std::nullopt;
  if (is_reserved_word(name)) return "__" + std::string(name) + "__";
  std::string out;
  while (!name.empty()) {
    const Escape* escape = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                        [&](const Escape& e) { return name.starts_with(e.text); });
    if (escape != std::end(kEscapes)) {
      out.append("__").append(escape->name).append("__");
      name.remove_prefix(escape->text.size());
    } else if (is_plain(name[0])) {
      out += name[0];
      name.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> unescape_property(std::string_view identifier) {
  std::string out;
  for (size_t at = 0; at < identifier.size();) {
    // An escape: two underscores, something without underscores, two underscores.
    size_t inner = at + 2, close = std::string_view::npos;
    if (identifier.substr(at).starts_with("__")) {
      size_t end = identifier.find('_', inner);
      if (end != std::string_view::npos && end > inner && identifier.substr(end).starts_with("__"))
        close = end;
    }
    if (close == std::string_view::npos) {
      out += identifier[at++];
      continue;
    }
    std::string_view name = identifier.substr(inner, close - inner);
    const Escape* escape = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                        [&](const Escape& e) { return e.name == name; });
    if (escape != std::end(kEscapes)) {
      out += escape->text;
    } else if (is_reserved_word(name) && close + 2 - at == identifier.size()) {
      out += name;
    } else {
      return std::nullopt;
    }
    at = close + 2;
  }
  return out;
}

}  // namespace portcullis
