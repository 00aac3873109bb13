#include "interpreter/functions/regex_spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "grammar/ascii.h"
#include "grammar/utf8.h"

namespace portcullis {
namespace {

#include "interpreter/functions/unicode_classes.inc"

// What neither Go nor RE2 knows, in place of what only RE2 knows.
constexpr std::string_view kNoEscape = "\\i", kNoGroup = "(?P<!>";
constexpr std::string_view kNoName = "!";  // of a class

// The spelling of a class's name under which Go looks it up: one capital, then small letters.
std::string canonical_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c != '_' && c != '-' && c != ' ') out += out.empty() ? to_upper(c) : to_lower(c);
  }
  return out;
}

// The code points that Unicode does not assign, as ranges for within brackets.
const std::string& unassigned() {
  static const std::string kRanges = [] {
    std::string out;
    for (auto [first, last] : kUnassigned)
      fmt::format_to(std::back_inserter(out), "\\x{{{:X}}}-\\x{{{:X}}}", first, last);
    return out;
  }();
  return kRanges;
}

// A class by name, "\p{name}" or "\pN".
struct NamedClass {
  size_t length = 2;  // of its text
  std::string name;   // canonical
  char letter;        // p or P
  bool caret = false;
  bool negated = false;

  explicit NamedClass(std::string_view text) : letter(text[1]) {
    std::string_view written;
    if (text.size() > 2 && text[2] == '{') {
      size_t end = text.find('}');
      length = end == text.npos ? text.size() : end + 1;
      if (end != text.npos) written = text.substr(3, end - 3);
    } else {
      length += utf8::decode(text.substr(2)).size;
      written = text.substr(2, length - 2);
    }
    caret = !written.empty() && written[0] == '^';
    negated = caret != (letter == 'P');
    name = canonical_name(written.substr(caret));
    for (auto [known, category] : kLongNames) {
      if (name == known) name = category;
    }
    if (name == "Lc") name = "LC";
    if (name == "Assigned") {
      name = "Cn";
      negated = !negated;
    }
  }

  // RE2's spelling. It begins with the same two characters, which both show if a class stands at the end of a
  // range.
  std::string respelled(bool within_brackets) const {
    std::string several = members();
    if (!several.empty()) {
      several.insert(0, letter == 'p' ? "\\p{^Any}" : "\\P{Any}");
      if (within_brackets) return several;
      // In Go (?i) adds nothing to this class.
      return fmt::format(fmt::runtime(name == "LC" ? "(?-i:[{}])" : "[{}]"), several);
    }
    bool known = !name.empty() && std::ranges::all_of(name, is_alphanumeric);
    return fmt::format("\\{}{{{}{}}}", letter, caret ? "^" : "", known ? name : kNoName);
  }

 private:
  // What the class has, if RE2 does not know its name.
  std::string members() const {
    std::string others = "\\pL\\pM\\pN\\pP\\pS\\pZ";
    if (name == "C") return negated ? others : "\\pC" + unassigned();
    if (name == "Cn") return negated ? others + "\\pC" : unassigned();
    if (name == "LC") return negated ? "\\PL\\p{Lm}\\p{Lo}" : "\\p{Lu}\\p{Ll}\\p{Lt}";
    if (name == "Ascii") return negated ? "[:^ascii:]" : "\\x00-\\x7F";
    return {};
  }
};

// A named group's head "(?<name>" or "(?P<name>" in RE2's spelling, with its length; empty if `text` is none.
std::pair<std::string, size_t> group_head(std::string_view text) {
  size_t start = text.starts_with("(?<") ? 3 : 4;
  if (text.size() <= start || (start == 4 && !text.starts_with("(?P<"))) return {};
  size_t end = text.find('>');
  if (end == text.npos) return {std::string(kNoGroup), text.size()};
  std::string_view name = text.substr(start, end - start);
  bool valid =
      !name.empty() && std::ranges::all_of(name, [](char c) { return c == '_' || is_alphanumeric(c); });
  return {valid ? fmt::format("(?P<{}>", name) : std::string(kNoGroup), end + 1};
}

}  // namespace

void Spelling::add(std::string_view piece, size_t from, size_t length) {
  for (size_t i = 0; i < piece.size(); ++i) origin.push_back(from + std::min(i, length));
  text += piece;
}

std::string Spelling::original(std::string_view part, std::string_view pattern) const {
  std::string changed;
  for (size_t at = text.find(part); at != text.npos && !part.empty(); at = text.find(part, at + 1)) {
    std::string_view here = pattern.substr(origin[at], origin[at + part.size()] - origin[at]);
    if (here == part) return std::string(part);
    // A piece begins as what it stands for, what is within a piece does not.
    if (changed.empty() && here.starts_with(part[0])) changed = here;
  }
  return changed.empty() ? std::string(part) : changed;
}

Spelling respell(std::string_view pattern) {
  Spelling out;
  bool in_class = false;
  size_t class_start = 0;
  bool closes = true;  // a ":]" may follow; looked for until there is none
  size_t length;
  for (size_t i = 0; i < pattern.size(); i += length) {
    std::string_view rest = pattern.substr(i);
    std::string piece;
    length = 1;
    if (rest.starts_with("\\Q") && !in_class) {
      length = std::min(rest.find("\\E"), rest.size());
    } else if (rest.starts_with("\\p") || rest.starts_with("\\P")) {
      NamedClass named(rest);
      length = named.length;
      piece = named.respelled(in_class);
    } else if (rest[0] == '\\' && rest.size() > 1) {
      length = 2;
      if (rest[1] == 'C') piece = kNoEscape;
    } else if (in_class) {
      const bool posix = rest.starts_with("[:");
      const size_t end = posix && closes ? rest.find(":]", 2) : rest.npos;
      if (end != rest.npos) {
        length = end + 2;
      } else if (posix) {
        closes = false;
        piece = "\\[";  // else RE2 would look for the end, too
      }
      if (rest[0] == ']' && i > class_start) in_class = false;
    } else if (rest[0] == '[') {
      in_class = true;
      length = rest.size() > 1 && rest[1] == '^' ? 2 : 1;
      class_start = i + length;
    } else if (auto [head, size] = group_head(rest); size > 0) {
      length = size;
      piece = head;
    }
    out.add(piece.empty() ? rest.substr(0, length) : piece, i, length);
  }
  out.origin.push_back(pattern.size());
  return out;
}

}  // namespace portcullis
