// The roles and bindings that every cluster has: see rbac_defaults.h.
#include "admission/authorization/rbac_defaults.h"

namespace portcullis::rbac {
namespace {

constexpr std::string_view kDefaults =
#include "admission/authorization/rbac_defaults.inc"
    ;

// Takes the text before the next `separator` from `text`, and drops the separator.
std::string_view take(std::string_view& text, char separator) {
  size_t end = text.find(separator);
  std::string_view part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return part;
}

Texts read_list(std::string_view word) {
  Texts out;
  while (!word.empty()) out.emplace_back(take(word, ','));
  return out;
}

Rule default_rule(std::string_view line) {
  Rule rule;
  rule.verbs = read_list(take(line, ' '));
  std::string_view groups = take(line, ' ');
  if (groups == "urls") {
    rule.urls = read_list(take(line, ' '));
    return rule;
  }
  rule.groups = read_list(groups);
  for (std::string& group : rule.groups) {
    if (group == "core") group.clear();
  }
  rule.resources = read_list(take(line, ' '));
  rule.names = read_list(take(line, ' '));
  return rule;
}

// "NAMESPACE/NAME" or "NAME".
void read_name(std::string_view word, std::string& space, std::string& name) {
  size_t slash = word.find('/');
  if (slash != word.npos) space = word.substr(0, slash);
  name = word.substr(slash == word.npos ? 0 : slash + 1);
}

Role default_role(std::string_view words) {
  Role role;
  read_name(take(words, ' '), role.space, role.name);
  role.standard = true;
  role.labels["kubernetes.io/bootstrapping"] = "rbac-defaults";
  while (!words.empty()) {
    std::string_view word = take(words, ' ');
    char sort = word[0];
    word.remove_prefix(1);
    std::string key(take(word, '='));
    if (sort == '+') role.labels[key] = word;
    if (sort == '<') role.aggregates.push_back({{key, "In", {std::string(word)}}});
  }
  return role;
}

Binding default_binding(std::string_view words) {
  Binding binding;
  read_name(take(words, ' '), binding.space, binding.name);
  binding.standard = true;
  std::string_view role = take(words, ' ');
  binding.role_kind = take(role, ':');
  binding.role_name = role;
  while (!words.empty()) {
    std::string_view word = take(words, ' ');
    Subject& subject = binding.subjects.emplace_back();
    subject.kind = take(word, ':');
    read_name(word, subject.space, subject.name);
  }
  return binding;
}

}  // namespace

void add_defaults(Objects& objects) {
  std::string_view text = kDefaults;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (line.empty()) continue;
    std::string_view kind = take(line, ' ');
    if (kind.ends_with("Binding")) {
      objects.add(default_binding(line));
      continue;
    }
    Role role = default_role(line);
    while (text.starts_with("  ")) role.rules.push_back(default_rule(take(text, '\n').substr(2)));
    objects.add(std::move(role));
  }
}

}  // namespace portcullis::rbac
