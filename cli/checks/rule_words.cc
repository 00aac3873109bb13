// Entries of a rule that name nothing: misspelt, in the wrong list, removed, or unknown. See checked_rule.h.
#include <algorithm>

#include "admission/scalars/spelling.h"
#include "cli/checks/checked_rule.h"
#include "cli/messages/lists.h"
#include "grammar/ascii.h"
#include "interpreter/values/json.h"
#include "manifests/kind_words.h"

namespace portcullis {
namespace {

// Whether the text can be the name of a version or resource: lower-case letters, digits and dashes.
bool is_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_word_but_for_case(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_upper(c); });
}

// The message about a text that cannot be a name.
std::string no_such_word(const std::string& word, const std::string& what) {
  if (word.find('*') != word.npos) return quote_json(word) + " is no " + what + ": * stands for a whole name";
  return "no " + what + " can be named " + quote_json(word);
}

}  // namespace

void CheckedRule::check_group(RuleEntry& g, const std::vector<std::string>& resources) {
  if (g.any() || catalog_.has_group(g.text)) return;
  g.open = !catalog_.is_closed(g.text);
  // Kubernetes reserves this domain, but not every cluster serves all of its groups.
  if (g.open && !g.text.ends_with(".k8s.io")) return;
  const std::string* meant = catalog_.meant_group(g.text, resources);
  if (g.open) {
    bool near = meant != nullptr && std::ranges::any_of(resources, [&](const std::string& r) {
                  return catalog_.served(*meant, r, {}) != nullptr;
                });
    if (!near || nearest(g.text, std::vector<std::string>{*meant}).empty()) return;
  }
  std::string hint = meant == nullptr ? "" : did_you_mean(meant->empty() ? "\"\"" : *meant);
  if (g.text.find('/') != g.text.npos)
    warn(g, quote_json(g.text) + " is no API group: apiGroups have no versions", std::move(hint));
  else if (meant != nullptr && meant->empty())
    warn(g, "the core group is \"\", not " + quote_json(g.text));
  else
    warn(g, "there is no API group " + quote_json(g.text), std::move(hint));
  g.open = meant == nullptr;
  if (meant != nullptr) g.text = *meant;
}

void CheckedRule::check_version(RuleEntry& v) {
  if (v.any() || is_word(v.text)) return;
  v.open = v.text.empty();  // the API server refuses it
  if (v.open) return;
  size_t slash = v.text.rfind('/');
  std::string written = v.text, group = slash == v.text.npos ? "" : v.text.substr(0, slash), meant;
  for (char c : v.text.substr(slash == v.text.npos ? 0 : slash + 1)) meant += to_lower(c);
  v.open = !is_word(meant);
  if (!v.open) v.text = meant;
  bool elsewhere = !group.empty() && catalog_.has_group(group) && !open_groups() &&
                   std::ranges::find(groups_, group, &RuleEntry::text) == groups_.end();
  std::string hint =
      v.open ? "" : did_you_mean(elsewhere ? meant + ", with " + quote_json(group) + " in apiGroups" : meant);
  if (slash != written.npos)
    warn(v, quote_json(written) + " is no version: apiVersions have no groups", std::move(hint));
  else
    warn(v, no_such_word(written, "version"), std::move(hint));
}

bool CheckedRule::has_resource(const RuleEntry& r) const {
  return any_target([&](const RuleTarget& t) { return in_groups(t) && (r.any() || t.resource == r.text); });
}

void CheckedRule::check_resource(RuleEntry& r) {
  if (r.any()) r.open = groups_unknown_;
  if (r.any() || has_resource(r)) return;
  r.open = r.text.empty() || groups_unknown_ || may_be_served(r);
  if (r.text.empty()) return;
  bool word = is_word(r.text);
  RuleCatalog::Meaning meaning =
      catalog_.meaning(r.text, [this](const RuleTarget& t) { return in_groups(t); }, version_texts_);
  bool defined =
      meaning.target != nullptr && known_.defines_group(meaning.target->group) && in_groups(*meaning.target);
  if (r.open && word && !meaning.kind && !defined) return;
  r.dead = true;
  if (word && !r.open && gone_resource(r, meaning)) return;
  std::string hint = meaning.target == nullptr ? "" : meant_resource(*meaning.target, r.sub);
  if (word && r.open && defined)
    warn(r, "no CustomResourceDefinition among the files has the resource " + quote_json(r.text),
         std::move(hint));
  else if (word && !r.open)
    warn(r,
         group_words(entry_texts(groups_)) + (groups_.size() == 1 ? " has" : " have") + " no resource " +
             quote_json(r.text),
         std::move(hint));
  else if (!word && r.text.find('*') == r.text.npos && is_word_but_for_case(r.text))
    warn(r, "no resource is named " + quote_json(r.text) + ": their names are plurals in lower case",
         std::move(hint));
  else
    warn(r, word ? "no resource is named " + quote_json(r.text) : no_such_word(r.text, "resource"),
         std::move(hint));
  if (meaning.target != nullptr && in_groups(*meaning.target)) {
    // Continue with the meant resource, so that other mistakes are also reported.
    r.text = meaning.target->resource;
    r.dead = false;
    r.open = false;
  }
}

// "did you mean pods/exec in v1?", with the subresource only if it exists.
std::string CheckedRule::meant_resource(const RuleTarget& meant, const std::string& sub) const {
  bool there = sub.empty() || sub == "*" || meant.loose || any_target([&](const RuleTarget& t) {
                 return t.group == meant.group && t.resource == meant.resource && t.subresource == sub;
               });
  if (!there)
    return did_you_mean(meant.resource + " in " + meant.api_version()) + " it has no subresource " +
           quote_json(sub);
  return did_you_mean(meant.resource + (sub.empty() ? "" : "/" + sub) + " in " + meant.api_version());
}

bool CheckedRule::gone_resource(RuleEntry& r, const RuleCatalog::Meaning& meaning) {
  uint32_t gone = 0;
  std::vector<std::string> where;
  for (const std::string& g : with_former_) {
    uint32_t of_group = 0;
    for (const RuleEntry& v : versions_) of_group = std::max(of_group, catalog_.gone(g, v.text, r.text));
    if (of_group > 0) where.push_back(g);
    gone = std::max(gone, of_group);
  }
  if (gone == 0) return false;
  std::string hint = gone_since(gone);
  if (meaning.target != nullptr && meaning.target->resource == r.text)
    hint += "; it is served in " + meaning.target->api_version();
  warn(r,
       group_words(where) + (where.size() == 1 ? " has" : " have") + " no resource " + quote_json(r.text) +
           " any more",
       std::move(hint));
  return true;
}

void CheckedRule::check_subresource(RuleEntry& r) {
  if (r.dead || (r.open && !r.any()) || r.sub.empty() || r.sub == "*") return;
  std::vector<std::string> names;
  bool there = any_target([&](const RuleTarget& t) {
    bool same = in_groups(t) && (r.any() || t.resource == r.text);
    if (same && !t.subresource.empty() && std::ranges::find(names, t.subresource) == names.end())
      names.push_back(t.subresource);
    return same && fits(r, t);
  });
  if (there) return;
  std::string_view near = nearest(r.sub, names);
  r.open = r.open || open_groups();
  if (r.open && near.empty()) return;
  r.dead = true;
  if (r.said) return;
  std::string hint = names.empty() && !r.any() ? "it has no subresources" : "";
  if (!near.empty())
    hint = did_you_mean(r.text + "/" + std::string(near));
  else if (!names.empty() && names.size() <= kMaxListed && !r.any())
    hint = "it has " + listed(names);
  warn(r,
       (r.any() ? "no resource of " + group_words(entry_texts(groups_)) + " has a" : r.text + " has no") +
           " subresource " + quote_json(r.sub),
       std::move(hint));
}

void CheckedRule::check_names() {
  Entries names = read_list("resourceNames");
  check_deletions(names);
  // Names of other kinds cannot have such letters.
  if (std::ranges::find(groups_, "rbac.authorization.k8s.io", &RuleEntry::text) != groups_.end()) return;
  for (RuleEntry& n : names) {
    if (n.text.find('*') != n.text.npos)
      warn(n, quote_json(n.text) + " is taken as it is written: in resourceNames * is no wildcard",
           n.any() ? "without resourceNames a rule matches all names" : "");
  }
}

// The deletion of a collection asks about each object, without a name that a rule could match.
void CheckedRule::check_deletions(const Entries& names) {
  const bool applies =
      path_.find("excludeResourceRules") == path_.npos &&    // such a rule lets more through here
      !object_.kind.starts_with("MutatingAdmissionPolicy");  // no deletion is mutated
  auto deletes =
      std::ranges::find_if(operations_, [](const RuleEntry& o) { return o.any() || o.text == "DELETE"; });
  if (names.empty() || !applies || deletes == operations_.end() || deletes->said) return;
  const bool collected = std::ranges::any_of(resources_, [&](const RuleEntry& r) {
    if (r.dead || (!r.sub.empty() && r.sub != "*")) return false;
    if (r.text == "namespaces") return false;  // the one resource whose collection cannot be deleted
    const auto operations = taken(r);
    return !operations || (*operations & operation_bit(Operation::Delete)) != 0;
  });
  if (!collected) return;
  warn(*deletes, "the deletion of a collection has no name, so resourceNames keep this rule from matching it",
       "a rule without resourceNames, and a match condition on oldObject.metadata.name, match it too");
}

}  // namespace portcullis
