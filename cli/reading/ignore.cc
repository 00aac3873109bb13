// See ignore.h.
#include "cli/reading/ignore.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace portcullis {
namespace {

std::vector<std::string> parts_of_path(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    size_t end = std::min(path.find('/'), path.size());
    if (end > 0) out.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

// Takes a character off a pattern, which a backslash may escape. Nothing is left: none.
std::optional<unsigned char> take_member(std::string_view& pattern) {
  if (pattern.starts_with('\\')) pattern.remove_prefix(1);
  if (pattern.empty()) return std::nullopt;
  const auto c = static_cast<unsigned char>(pattern[0]);
  pattern.remove_prefix(1);
  return c;
}

// Whether `c` is of a class such as alpha, all of whose characters are ASCII. None for an unknown class.
std::optional<bool> in_class(std::string_view name, unsigned char c) {
  static constexpr struct {
    std::string_view name;
    int (*has)(int);
  } kClasses[] = {{"alnum", std::isalnum}, {"alpha", std::isalpha}, {"blank", std::isblank},
                  {"cntrl", std::iscntrl}, {"digit", std::isdigit}, {"graph", std::isgraph},
                  {"lower", std::islower}, {"print", std::isprint}, {"punct", std::ispunct},
                  {"space", std::isspace}, {"upper", std::isupper}, {"xdigit", std::isxdigit}};
  for (const auto& known : kClasses) {
    if (known.name == name) return c < 0x80 && known.has(c) != 0;
  }
  return std::nullopt;
}

// Skips a set of characters such as [a-z[:digit:]] at the start of `pattern`. False if `c` is not in it, or if it is no
// set: it is not closed, or has an unknown class.
bool in_set(std::string_view& pattern, unsigned char c) {
  std::string_view rest = pattern.substr(1);
  const bool negated = rest.starts_with('!') || rest.starts_with('^');
  if (negated) rest.remove_prefix(1);
  int from = -1;  // of a range
  bool found = false;
  for (bool first = true; first || !rest.starts_with(']'); first = false) {
    if (rest.starts_with("[:")) {
      const size_t end = rest.find(']', 2);
      if (end == rest.npos) return false;
      if (end > 2 && rest[end - 1] == ':') {
        const std::optional<bool> has = in_class(rest.substr(2, end - 3), c);
        if (!has) return false;
        found |= *has;
        rest.remove_prefix(end + 1);
        from = -1;
        continue;
      }
    }
    const bool range = from >= 0 && rest.starts_with('-') && rest.size() > 1 && rest[1] != ']';
    if (range) rest.remove_prefix(1);
    const std::optional<unsigned char> next = take_member(rest);
    if (!next) return false;
    found |= range ? from <= c && c <= *next : *next == c;
    from = range ? -1 : *next;
  }
  pattern = rest.substr(1);
  return found != negated;
}

// Matches one name with one pattern. After a mismatch the last `*` takes one more character, so this is
// quadratic at worst.
bool fits(std::string_view pattern, std::string_view name) {
  std::string_view after_star, star_name;
  bool star = false;
  while (!name.empty() || !pattern.empty()) {
    std::string_view rest = pattern;
    bool good = false;
    if (!pattern.empty() && pattern[0] == '*') {
      star = true;
      after_star = pattern.substr(1);
      star_name = name;
      pattern = after_star;
      continue;
    }
    if (!pattern.empty() && !name.empty()) {
      if (pattern[0] == '[') {
        good = in_set(rest, static_cast<unsigned char>(name[0]));
      } else {
        const auto c = take_member(rest);
        good = pattern[0] == '?' || (c && *c == static_cast<unsigned char>(name[0]));
      }
    }
    if (good) {
      pattern = rest;
      name.remove_prefix(1);
    } else {
      if (!star || star_name.empty()) return false;
      star_name.remove_prefix(1);
      name = star_name;
      pattern = after_star;
    }
  }
  return true;
}

// Matches a whole path: reachable[i] is true if the first i parts of the pattern match the names so far.
bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  std::vector<char> reachable(pattern.size() + 1, 0);
  auto skip = [&] {
    for (size_t i = 0; i < pattern.size(); i++) {
      if (reachable[i] && pattern[i] == "**" && i + 1 < pattern.size()) reachable[i + 1] = 1;
    }
  };
  reachable[0] = 1;
  skip();
  for (const std::string& name : path) {
    for (size_t i = pattern.size() + 1; i-- > 0;) {
      bool stays = i < pattern.size() && reachable[i] && pattern[i] == "**";
      bool comes = i > 0 && reachable[i - 1] && (pattern[i - 1] == "**" || fits(pattern[i - 1], name));
      reachable[i] = stays || comes;
    }
    skip();
  }
  return reachable[pattern.size()] != 0;
}

// A space that a backslash escapes stays.
std::string_view without_spaces_behind(std::string_view line) {
  size_t size = 0;
  for (size_t i = 0; i < line.size(); i++) {
    if (line[i] == ' ') continue;
    i += line[i] == '\\';
    size = i + 1;
  }
  return line.substr(0, size);
}

}  // namespace

void IgnoreRules::add(std::string_view lines) {
  while (!lines.empty()) {
    size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = without_spaces_behind(line);
    if (line.empty() || line[0] == '#') continue;
    bool keep = line[0] == '!';
    if (keep) line.remove_prefix(1);
    bool directories = line.ends_with('/');
    if (directories) line.remove_suffix(1);
    if (line.starts_with("./")) line.remove_prefix(1);
    Rule rule{parts_of_path(line), line.find('/') != line.npos, directories, keep};
    if (!rule.names.empty()) rules_.push_back(std::move(rule));
  }
}

IgnoreRules::Answer IgnoreRules::of(std::string_view path, bool directory) const {
  std::vector<std::string> names = parts_of_path(path);
  if (names.empty()) return Answer::Silent;
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->directories && !directory) continue;
    bool hit = rule->anchored ? fits(rule->names, names) : fits(rule->names[0], names.back());
    if (hit) return rule->keep ? Answer::Keep : Answer::LeaveOut;
  }
  return Answer::Silent;
}

}  // namespace portcullis
