// See function_hints.h.
#include "cli/functions/function_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "admission/scalars/spelling.h"
#include "cli/functions/reference.h"
#include "grammar/ascii.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

bool in_name(char c) { return is_alphanumeric(c) || c == '_'; }

// The names that can be called in a release, without operators.
const std::vector<std::string>& callable(uint32_t minor) {
  static std::mutex mutex;  // suites are checked on several threads
  static std::map<uint32_t, std::vector<std::string>> known;
  const std::lock_guard lock(mutex);
  std::vector<std::string>& names = known[minor];
  if (!names.empty()) return names;
  auto add = [&](const Library& library, std::string name, uint8_t since, uint8_t until) {
    bool word = std::ranges::all_of(name, [](char c) { return in_name(c) || c == '.'; });
    if (word && !name.starts_with('_') && kubernetes_has(library, since, until, minor))
      names.push_back(std::move(name));
  };
  for (const Library* library : libraries_by_use()) {
    for (const Macro& macro : library->macros) add(*library, std::string(macro.name), macro.since, 255);
    for (const Function& row : library->functions) add(*library, name_of(row), row.since, row.until);
  }
  return names;
}

std::string hint(std::string_view word, uint32_t minor) {
  const std::vector<std::string>& names = callable(minor);
  // Only a macro is undeclared in spite of its name: what it has for arguments makes it none.
  if (std::ranges::count(names, word) > 0)
    return fmt::format("the macro {0} takes other arguments: portcullis functions {0}", word);
  std::string_view meant = nearest(word, names);
  // A word that only lacks its end is meant before one that is as near: match, matches.
  constexpr size_t kEnding = 2;
  for (const std::string& name : names) {
    if (word.size() > 2 * kEnding && name.starts_with(word) && name.size() <= word.size() + kEnding)
      meant = name;
  }
  // x.size() calls size: what is undeclared is x; resource.Get() has no function resource before the dot.
  if (word.ends_with("." + std::string(meant)) || word.starts_with(std::string(meant) + ".")) return {};
  return did_you_mean(meant);
}

// The name that ends before `end`, including the names that dots join to it.
std::string_view dotted_name(std::string_view text, size_t end) {
  size_t start = end;
  while (start > 0 && (in_name(text[start - 1]) || text[start - 1] == '.')) start--;
  return text.substr(start, end - start);
}

}  // namespace

std::string meant_function(std::string_view issue, Position position, std::string_view expression,
                           KubernetesVersion version) {
  constexpr std::string_view kUndeclared = "undeclared reference to '";
  if (!issue.starts_with(kUndeclared)) return {};
  std::string_view word = issue.substr(kUndeclared.size());
  word = word.substr(0, word.find('\''));
  uint32_t minor = std::clamp(version.minor, KubernetesVersion::kFirst, KubernetesVersion::kLast);
  size_t at = offset_in(expression, position);
  if (at >= expression.size()) return {};
  if (expression[at] == '(') {  // the position of a call is its opening parenthesis
    std::string_view whole = dotted_name(expression, at);
    if (whole.starts_with("cel."))
      return {};  // macros of other libraries, whose last word means nothing here
    std::string found = whole.find('.', 1) == whole.npos ? "" : hint(whole, minor);
    return found.empty() ? hint(word, minor) : found;
  }
  // The first part of a dotted name that ends with a call.
  size_t end = at;
  while (end < expression.size() && (in_name(expression[end]) || expression[end] == '.')) end++;
  std::string_view whole = expression.substr(at, end - at);
  bool called = end < expression.size() && expression[end] == '(' && whole.find('.') != whole.npos;
  return called ? hint(whole, minor) : "";
}

}  // namespace portcullis
