// See ignore.h.
#include "cli/reading/ignore.h"

#include <algorithm>

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

// Skips a set of characters such as [a-z] at the start of `pattern`. False if `c` is not in it, or the set is
// not closed.
bool in_set(std::string_view& pattern, char c) {
  size_t end = pattern.size() > 2 ? pattern.find(']', 2) : pattern.npos;
  if (end == pattern.npos) return false;
  std::string_view set = pattern.substr(1, end - 1);
  pattern.remove_prefix(end + 1);
  bool negated = set[0] == '!' || set[0] == '^', found = false;
  if (negated) set.remove_prefix(1);
  for (size_t i = 0; i < set.size(); i++) {
    bool range = i + 2 < set.size() && set[i + 1] == '-';
    found |= range ? set[i] <= c && c <= set[i + 2] : set[i] == c;
    if (range) i += 2;
  }
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
        good = in_set(rest, name[0]);
      } else {
        good = pattern[0] == '?' || pattern[0] == name[0];
        rest.remove_prefix(1);
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

}  // namespace

void IgnoreRules::add(std::string_view lines) {
  while (!lines.empty()) {
    size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line[0] == '#') continue;
    bool keep = line[0] == '!';
    if (keep || line.starts_with("\\!") || line.starts_with("\\#")) line.remove_prefix(1);
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
