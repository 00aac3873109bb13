// See checked_rule.h.
#include "cli/checks/checked_rule.h"

#include <algorithm>
#include <unordered_map>

#include "cli/messages/lists.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// Leaves one entry of each name, if possible one that no warning is about: a list may have thousands.
void leave_distinct(Entries& entries) {
  std::unordered_map<std::string, size_t> places;
  Entries out;
  for (RuleEntry& e : entries) {
    const auto [place, fresh] = places.try_emplace(e.name(), out.size());
    if (fresh)
      out.push_back(std::move(e));
    else if (out[place->second].said && !e.said)
      out[place->second] = std::move(e);
  }
  entries = std::move(out);
}

}  // namespace

std::vector<std::string> entry_texts(const Entries& entries) {
  std::vector<std::string> out;
  for (const RuleEntry& e : entries) out.push_back(e.text);
  return out;
}

std::string group_words(const std::vector<std::string>& groups) {
  if (groups.size() == 1 && groups[0].empty()) return "the core group";
  std::vector<std::string> quoted;
  for (const std::string& g : groups) {
    if (quoted.size() == kMaxListed && groups.size() > kMaxListed + 1) {
      quoted.push_back(std::to_string(groups.size() - kMaxListed) + " more");
      break;
    }
    quoted.push_back(quote_json(g));
  }
  return (groups.size() == 1 ? "the group " : "the groups ") + listed(quoted);
}

void CheckedRule::check() {
  groups_ = read_list("apiGroups");
  versions_ = read_list("apiVersions");
  resources_ = read_list("resources");
  operations_ = read_list("operations");
  for (RuleEntry& r : resources_) {
    size_t slash = r.text.find('/');
    if (slash == r.text.npos) continue;
    r.sub = r.text.substr(slash + 1);
    r.text.resize(slash);
  }
  if (groups_.empty() || versions_.empty() || resources_.empty()) return;
  for (Entries* list : {&groups_, &versions_, &resources_}) leave_distinct(*list);
  const std::vector<std::string> resources = entry_texts(resources_);
  for (RuleEntry& g : groups_) check_group(g, resources);
  leave_distinct(groups_);
  know_groups();
  for (RuleEntry& v : versions_) check_version(v);
  leave_distinct(versions_);
  know_versions();
  for (RuleEntry& r : resources_) check_resource(r);
  for (RuleEntry& r : resources_) check_subresource(r);
  leave_distinct(resources_);
  check_served();
  check_seen();
  check_idle_groups();
  check_operations();
  check_scope();
  check_names();
}

void CheckedRule::warn(RuleEntry& e, std::string text, std::string hint) {
  e.said = true;
  out_.push_back(
      {&object_, Severity::Warning, e.path, std::move(text), object_.locate(e.path), {}, std::move(hint)});
  out_.back().ours = true;
}

// The list of texts at a field of a rule; empty if absent, which the API server reports.
Entries CheckedRule::read_list(std::string_view field) const {
  Entries out;
  const Value* list = find_member(rule_, field);
  if (list == nullptr || !list->is(Kind::List)) return out;
  for (size_t i = 0; i < list->as_list().size(); i++) {
    const Value& v = list->as_list()[i];
    if (!v.is(Kind::String)) return {};
    out.push_back(
        {std::string(v.as_text()), path_ + "." + std::string(field) + "[" + std::to_string(i) + "]"});
  }
  return out;
}

bool CheckedRule::open_groups() const {
  return std::ranges::any_of(groups_, [](const RuleEntry& g) { return g.open || g.any(); });
}

// What every resource is asked of the groups, once they are what they mean: a rule may name thousands of each.
void CheckedRule::know_groups() {
  std::unordered_set<std::string_view> names;
  for (const RuleEntry& g : groups_) names.insert(g.text);
  here_.clear();
  for (const RuleTarget& t : catalog_.targets())
    here_.push_back(names.contains("*") || names.contains(t.group));
  groups_unknown_ = open_groups() || std::ranges::any_of(groups_, [&](const RuleEntry& g) {
                      return !catalog_.is_closed(g.text);
                    });
  for (const RuleEntry& g : groups_) {
    if (catalog_.gone(g.text, "*", "*") > 0) with_former_.push_back(g.text);
  }
}

void CheckedRule::know_versions() {
  version_texts_ = entry_texts(versions_);
  version_names_.insert(version_texts_.begin(), version_texts_.end());
  for (const RuleEntry& v : versions_) {
    if (v.open || catalog_.may_have(v.text)) doubtful_versions_.push_back(&v);
  }
}

bool CheckedRule::in_groups(const RuleTarget& t) const {
  return here_[static_cast<size_t>(&t - catalog_.targets().data())];
}

bool CheckedRule::in_versions(const RuleTarget& t) const {
  return version_names_.contains("*") || version_names_.contains(t.version);
}

bool CheckedRule::fits(const RuleEntry& r, const RuleTarget& t) {
  bool sub = r.sub == "*" || r.sub == t.subresource || (t.loose && t.subresource.empty());
  return (r.any() || r.text == t.resource) && sub;
}

bool CheckedRule::any_target(const std::function<bool(const RuleTarget&)>& test) const {
  return std::ranges::any_of(catalog_.targets(), test);
}

bool CheckedRule::may_be_served(const RuleEntry& r, const RuleEntry& v) const {
  return v.open || (catalog_.may_have(v.text) && (r.any() || gone_at(v.text, r) == 0));
}

bool CheckedRule::may_be_served(const RuleEntry& r) const {
  return std::ranges::any_of(doubtful_versions_, [&](const RuleEntry* v) { return may_be_served(r, *v); });
}

uint32_t CheckedRule::gone_at(std::string_view version, const RuleEntry& r) const {
  uint32_t gone = 0;
  for (const std::string& g : with_former_) gone = std::max(gone, catalog_.gone(g, version, r.text));
  return gone;
}

std::vector<RuleEntry*> CheckedRule::settled() {
  std::vector<RuleEntry*> out;
  for (RuleEntry& r : resources_) {
    if (!r.dead && !r.open) out.push_back(&r);
  }
  return out;
}

bool CheckedRule::all_settled() const {
  return !open_groups() && std::ranges::all_of(resources_, [](const RuleEntry& r) { return !r.open; });
}

}  // namespace portcullis
