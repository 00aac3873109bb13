// See rule_checks.h.
#include "cli/checks/rule_checks.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "admission/builtin/registration.h"
#include "admission/foresight/known_request.h"
#include "admission/scalars/spelling.h"
#include "cli/checks/rule_catalog.h"
#include "grammar/ascii.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// The number of subresources that a hint lists.
constexpr size_t kMaxListed = 8;

// An entry of one of the lists of a rule.
struct RuleEntry {
  std::string text;      // the entry as written, or its meaning if misspelt
  std::string path;      // of the field
  bool open = false;     // it may match something unknown
  bool dead = false;     // it matches nothing
  bool said = false;     // a warning has been added
  std::string sub = {};  // the subresource
  bool any() const { return text == "*"; }
  std::string name() const { return sub.empty() ? text : text + "/" + sub; }
};
using Entries = std::vector<RuleEntry>;

// "a", "a and b", "a, b and c".
std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); i++)
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

std::vector<std::string> entry_texts(const Entries& entries) {
  std::vector<std::string> out;
  for (const RuleEntry& e : entries) out.push_back(e.text);
  return out;
}

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

// Whether the text can be the name of a version or resource: lower-case letters, digits and dashes.
bool is_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

std::optional<Operation> operation_of(std::string_view name) {
  for (Operation o : {Operation::Create, Operation::Update, Operation::Delete, Operation::Connect}) {
    if (operation_name(o) == name) return o;
  }
  return std::nullopt;
}

// The list of texts at a field of a rule; empty if absent, which the API server reports.
Entries read_list(const Value& rule, std::string_view field, const std::string& path) {
  Entries out;
  const Value* list = find_member(rule, field);
  if (list == nullptr || !list->is(Kind::List)) return out;
  for (size_t i = 0; i < list->as_list().size(); i++) {
    const Value& v = list->as_list()[i];
    if (!v.is(Kind::String)) return {};
    out.push_back(
        {std::string(v.as_text()), path + "." + std::string(field) + "[" + std::to_string(i) + "]"});
  }
  return out;
}

class RuleCheck {
 public:
  RuleCheck(const RuleCatalog& catalog, const Resources& known, const InputObject& object, const Value& rule,
            std::string path, std::vector<PolicyProblem>& out)
      : catalog_(catalog), known_(known), object_(object), rule_(rule), path_(std::move(path)), out_(out) {}

  void run() {
    groups_ = read_list(rule_, "apiGroups", path_);
    versions_ = read_list(rule_, "apiVersions", path_);
    resources_ = read_list(rule_, "resources", path_);
    operations_ = read_list(rule_, "operations", path_);
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

 private:
  void warn(RuleEntry& e, std::string text, std::string hint = {}) {
    e.said = true;
    out_.push_back(
        {&object_, Severity::Warning, e.path, std::move(text), object_.locate(e.path), {}, std::move(hint)});
    out_.back().ours = true;
  }
  static std::string did_you_mean(std::string_view what) { return "did you mean " + std::string(what) + "?"; }

  // The group in messages.
  static std::string group_words(const std::vector<std::string>& groups) {
    if (groups.size() == 1 && groups[0].empty()) return "the core group";
    std::vector<std::string> quoted;
    for (const std::string& g : groups) {
      if (quoted.size() == kMaxListed && groups.size() > kMaxListed + 1) {
        quoted.push_back(std::to_string(groups.size() - kMaxListed) + " more");
        break;
      }
      quoted.push_back(quote_json(g));
    }
    return (groups.size() == 1 ? "the group " : "the groups ") + joined(quoted);
  }

  bool open_groups() const {
    return std::ranges::any_of(groups_, [](const RuleEntry& g) { return g.open || g.any(); });
  }

  // What every resource is asked of the groups, once they are what they mean: a rule may name thousands of each.
  void know_groups() {
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

  void know_versions() {
    version_texts_ = entry_texts(versions_);
    version_names_.insert(version_texts_.begin(), version_texts_.end());
    for (const RuleEntry& v : versions_) {
      if (v.open || catalog_.may_have(v.text)) doubtful_versions_.push_back(&v);
    }
  }

  void check_group(RuleEntry& g, const std::vector<std::string>& resources) {
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

  void check_version(RuleEntry& v) {
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
        v.open ? ""
               : did_you_mean(elsewhere ? meant + ", with " + quote_json(group) + " in apiGroups" : meant);
    if (slash != written.npos)
      warn(v, quote_json(written) + " is no version: apiVersions have no groups", std::move(hint));
    else
      warn(v, no_such_word(written, "version"), std::move(hint));
  }

  // The message about a text that cannot be a name.
  static std::string no_such_word(const std::string& word, const std::string& what) {
    if (word.find('*') != word.npos)
      return quote_json(word) + " is no " + what + ": * stands for a whole name";
    return "no " + what + " can be named " + quote_json(word);
  }

  bool in_groups(const RuleTarget& t) const {
    return here_[static_cast<size_t>(&t - catalog_.targets().data())];
  }
  bool in_versions(const RuleTarget& t) const {
    return version_names_.contains("*") || version_names_.contains(t.version);
  }
  static bool fits(const RuleEntry& r, const RuleTarget& t) {
    bool sub = r.sub == "*" || r.sub == t.subresource || (t.loose && t.subresource.empty());
    return (r.any() || r.text == t.resource) && sub;
  }
  bool any_target(const std::function<bool(const RuleTarget&)>& test) const {
    return std::ranges::any_of(catalog_.targets(), test);
  }
  bool has_resource(const RuleEntry& r) const {
    return any_target([&](const RuleTarget& t) { return in_groups(t) && (r.any() || t.resource == r.text); });
  }
  // Whether the release may have served a resource at a version that no table has.
  bool may_be_served(const RuleEntry& r, const RuleEntry& v) const {
    return v.open || (catalog_.may_have(v.text) && (r.any() || gone_at(v.text, r) == 0));
  }
  bool may_be_served(const RuleEntry& r) const {
    return std::ranges::any_of(doubtful_versions_, [&](const RuleEntry* v) { return may_be_served(r, *v); });
  }

  void check_resource(RuleEntry& r) {
    if (r.any()) r.open = groups_unknown_;
    if (r.any() || has_resource(r)) return;
    r.open = r.text.empty() || groups_unknown_ || may_be_served(r);
    if (r.text.empty()) return;
    bool word = is_word(r.text);
    RuleCatalog::Meaning meaning =
        catalog_.meaning(r.text, [this](const RuleTarget& t) { return in_groups(t); }, version_texts_);
    bool defined = meaning.target != nullptr && known_.defines_group(meaning.target->group) &&
                   in_groups(*meaning.target);
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
  std::string meant_resource(const RuleTarget& meant, const std::string& sub) const {
    bool there = sub.empty() || sub == "*" || meant.loose || any_target([&](const RuleTarget& t) {
                   return t.group == meant.group && t.resource == meant.resource && t.subresource == sub;
                 });
    if (!there)
      return did_you_mean(meant.resource + " in " + meant.api_version()) + " it has no subresource " +
             quote_json(sub);
    return did_you_mean(meant.resource + (sub.empty() ? "" : "/" + sub) + " in " + meant.api_version());
  }

  static bool is_word_but_for_case(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return is_upper(c); });
  }

  bool gone_resource(RuleEntry& r, const RuleCatalog::Meaning& meaning) {
    uint32_t gone = 0;
    std::vector<std::string> where;
    for (const std::string& g : with_former_) {
      uint32_t of_group = 0;
      for (const RuleEntry& v : versions_) of_group = std::max(of_group, catalog_.gone(g, v.text, r.text));
      if (of_group > 0) where.push_back(g);
      gone = std::max(gone, of_group);
    }
    if (gone == 0) return false;
    std::string hint = "gone since Kubernetes 1." + std::to_string(gone);
    if (meaning.target != nullptr && meaning.target->resource == r.text)
      hint += "; it is served in " + meaning.target->api_version();
    warn(r,
         group_words(where) + (where.size() == 1 ? " has" : " have") + " no resource " + quote_json(r.text) +
             " any more",
         std::move(hint));
    return true;
  }

  void check_subresource(RuleEntry& r) {
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
      hint = "it has " + joined(names);
    warn(r,
         (r.any() ? "no resource of " + group_words(entry_texts(groups_)) + " has a" : r.text + " has no") +
             " subresource " + quote_json(r.sub),
         std::move(hint));
  }

  // Resources that can be judged: they are served, and no unknown group has another of the same name.
  std::vector<RuleEntry*> settled() {
    std::vector<RuleEntry*> out;
    for (RuleEntry& r : resources_) {
      if (!r.dead && !r.open) out.push_back(&r);
    }
    return out;
  }
  bool all_settled() const {
    return !open_groups() && std::ranges::all_of(resources_, [](const RuleEntry& r) { return !r.open; });
  }

  std::string where_served(const RuleEntry& r) const {
    std::vector<std::string> where;
    for (const RuleTarget& t : catalog_.targets()) {
      if (!in_groups(t) || t.resource != r.text || !t.subresource.empty()) continue;
      where.push_back(t.api_version());
    }
    return where.empty() || where.size() > kMaxListed ? "" : "it is served in " + joined(where);
  }

  void check_served() {
    if (!all_settled()) return;
    std::vector<RuleEntry*> list = settled();
    if (list.empty()) return;
    for (RuleEntry* r : list) {
      r->dead =
          !any_target([&](const RuleTarget& t) { return in_groups(t) && in_versions(t) && fits(*r, t); });
      if (r->dead && may_be_served(*r)) {
        r->dead = false;
        r->open = true;
      }
    }
    bool covered = std::ranges::none_of(list, [](const RuleEntry* r) { return r->dead; });
    bool all_dead = true;
    std::unordered_set<std::string_view> served_versions;
    for (const RuleTarget& t : catalog_.targets()) {
      if (in_groups(t) && std::ranges::any_of(list, [&](const RuleEntry* r) { return fits(*r, t); }))
        served_versions.insert(t.version);
    }
    for (RuleEntry& v : versions_) {
      bool served = v.any() || served_versions.contains(v.text) ||
                    std::ranges::any_of(list, [&](const RuleEntry* r) { return may_be_served(*r, v); });
      all_dead = all_dead && !served;
      if (served || v.said) continue;
      uint32_t gone = gone_at(v.text, *list[0]);
      bool same = true, ever = false;  // for all resources
      for (const RuleEntry* r : gone_at(v.text, RuleEntry{"*", ""}) > 0 ? list : std::vector<RuleEntry*>()) {
        same = same && gone_at(v.text, *r) == gone;
        ever = ever || gone_at(v.text, *r) > 0;
      }
      if (ever && covered) continue;
      warn(v, not_served(list, v.text), version_hint(list, same ? gone : 0));
    }
    for (RuleEntry* r : list) {
      if (!r->dead || all_dead || r->said) continue;
      std::vector<std::string> named;
      for (const RuleEntry& v : versions_) named.push_back(v.text);
      warn(*r, r->name() + " is not served in " + joined(named), r->any() ? "" : where_served(*r));
    }
  }

  // The release that removed a resource at a version in one of the groups; 0 if none did.
  uint32_t gone_at(std::string_view version, const RuleEntry& r) const {
    uint32_t gone = 0;
    for (const std::string& g : with_former_) gone = std::max(gone, catalog_.gone(g, version, r.text));
    return gone;
  }
  std::string not_served(const std::vector<RuleEntry*>& list, const std::string& version) const {
    if (list.size() == 1 && !list[0]->any())
      return list[0]->name() + " is not served in " +
             (groups_.size() == 1 ? join_api_version(groups_[0].text, version) : version);
    return "no resource of this rule is served in " +
           (groups_.size() == 1 ? join_api_version(groups_[0].text, version) : quote_json(version));
  }
  std::string version_hint(const std::vector<RuleEntry*>& list, uint32_t gone) const {
    std::string hint = gone == 0 ? "" : "gone since Kubernetes 1." + std::to_string(gone);
    const RuleEntry& first = *list[0];
    if (first.any()) return hint;
    std::string where = where_served(first);
    if (list.size() > 1 && !where.empty()) where = first.text + where.substr(2);
    return hint.empty() || where.empty() ? hint + where : hint + "; " + where;
  }

  // Reports resources that no webhook or no policy sees. Of reviews in the rules of webhooks, the API server warns.
  void check_seen() {
    if (open_groups()) return;
    const bool webhooks = object_.kind.ends_with("WebhookConfiguration");
    const auto audience = webhooks ? foresight::Audience::Webhook : foresight::Audience::ValidatingPolicy;
    for (RuleEntry* r : settled()) {
      bool exempt = true, any = false;
      for (const RuleTarget& t : catalog_.targets()) {
        if (!in_groups(t) || !in_versions(t) || !fits(*r, t)) continue;
        any = true;
        bool told = webhooks && t.group != kRegistrationGroup;
        bool seen =
            is_seen({t.group, t.version, t.resource, t.subresource, t.group, t.version, t.kind}, audience);
        exempt = exempt && !seen && !told;
      }
      if (!any || !exempt) continue;
      r->dead = true;
      if (r->said) continue;
      std::string what = r->any() ? "the resources of this entry" : r->name();
      warn(*r, webhooks ? "webhooks never see " + what +
                              ": the API server calls none for objects that configure admission"
                        : "policies never see " + what +
                              ": the API server exempts policies, their bindings and reviews");
    }
  }

  // Reports a group that has none of the resources, if each of them belongs to another group.
  void check_idle_groups() {
    if (groups_.size() < 2 || !all_settled() || settled().size() != resources_.size()) return;
    for (RuleEntry& g : groups_) {
      if (g.said || !catalog_.is_closed(g.text)) continue;
      bool served = any_target([&](const RuleTarget& t) { return t.group == g.text; });
      bool used = any_target([&](const RuleTarget& t) {
        return t.group == g.text &&
               std::ranges::any_of(resources_, [&](const RuleEntry& r) { return fits(r, t); });
      });
      if (served && !used) warn(g, group_words({g.text}) + " has no resource of this rule");
    }
  }

  // The operations that a resource of the rule takes; nothing if unknown.
  std::optional<uint8_t> taken(const RuleEntry& r) const {
    if (r.open || (open_groups() && r.any())) return std::nullopt;
    uint8_t all = 0;
    for (const RuleTarget& t : catalog_.targets()) {
      if (!in_groups(t) || !in_versions(t) || !fits(r, t)) continue;
      if (t.loose && (!r.sub.empty() || !t.subresource.empty())) return std::nullopt;
      all |= t.operations;
    }
    return all;
  }

  void check_operations() {
    uint8_t named = 0, anything = kWritten | kConnect;
    for (const RuleEntry& o : operations_) {
      auto operation = operation_of(o.text);
      if (!o.any() && !operation) return;  // the API server refuses it
      named |= o.any() ? anything : operation_bit(*operation);
    }
    if (named == 0) return;
    std::vector<RuleEntry*> list = settled();
    uint8_t taken_at_all = 0;
    bool known = list.size() == resources_.size();
    bool none = true;  // of the written operations
    for (RuleEntry* r : list) {
      auto operations = taken(*r);
      known = known && operations;
      if (!operations) {
        none = false;
        continue;
      }
      taken_at_all |= *operations;
      if (*operations == 0) {
        r->dead = true;
        if (!r->said) warn(*r, r->name() + " is read-only, and neither policies nor webhooks see reads");
      } else if ((*operations & named) != 0) {
        none = false;
      }
    }
    if (!known && none) none = false;
    if (taken_at_all == 0) return;
    if (none) {
      std::vector<RuleEntry*> alive = settled();
      for (RuleEntry* r : alive) r->dead = true;
      warn(operations_[0], takes(alive, taken_at_all, named), connect_hint(alive, named));
      return;
    }
    for (RuleEntry* r : settled()) {
      auto operations = taken(*r);
      if (!operations || (*operations & named) != 0) continue;
      r->dead = true;
      if (!r->said)
        warn(*r, r->name() + " takes " + operation_names(*operations) + ", not " + or_names(named));
    }
    bool idle_connect =
        known && named != anything && (named & kConnect) != 0 && (taken_at_all & kConnect) == 0;
    if (!idle_connect) return;
    for (RuleEntry& o : operations_) {
      if (o.text == operation_name(Operation::Connect))
        warn(o, takes(list, taken_at_all, kConnect), connect_hint(list, kConnect));
    }
  }

  // "CREATE or UPDATE".
  static std::string or_names(uint8_t operations) {
    std::string text = operation_names(operations);
    size_t at = text.find(" and ");
    return at == text.npos ? text : text.replace(at, 5, " or ");
  }
  std::string takes(const std::vector<RuleEntry*>& list, uint8_t taken, uint8_t named) const {
    if (list.size() == 1 && !list[0]->any())
      return list[0]->name() + " takes " + operation_names(taken) + ", not " + or_names(named);
    return "no resource of this rule takes " + or_names(named);
  }
  // Suggests the subresources that take CONNECT.
  std::string connect_hint(const std::vector<RuleEntry*>& list, uint8_t named) const {
    if (named != kConnect) return {};
    std::vector<std::string> names;
    for (const RuleTarget& t : catalog_.targets()) {
      bool of_rule = std::ranges::any_of(list, [&](const RuleEntry* r) { return r->text == t.resource; });
      if (in_groups(t) && of_rule && t.operations == kConnect) names.push_back(t.name());
    }
    if (names.empty()) return {};
    return joined(names) + (names.size() == 1 ? " does" : " do");
  }

  void check_scope() {
    const Value* given = find_member(rule_, "scope");
    if (given == nullptr || !given->is(Kind::String)) return;
    std::string scope(given->as_text());
    if (scope != "Cluster" && scope != "Namespaced") return;
    bool namespaced = scope == "Namespaced";
    std::string_view other = namespaced ? "cluster-scoped" : "namespaced";
    std::vector<RuleEntry*> list = settled(), outside;
    bool known = list.size() == resources_.size();
    for (RuleEntry* r : list) {
      bool here = (open_groups() && r->any()) || any_target([&](const RuleTarget& t) {
                    return in_groups(t) && in_versions(t) && fits(*r, t) && t.namespaced == namespaced;
                  });
      if (!here) outside.push_back(r);
    }
    if (outside.empty()) return;
    if (known && outside.size() == list.size()) {
      RuleEntry at{scope, path_ + ".scope"};
      bool one = list.size() == 1 && !list[0]->any();
      warn(at, (one ? list[0]->name() + " is " : "every resource of this rule is ") + std::string(other) +
                   ": with scope " + scope + " the rule matches nothing");
      return;
    }
    for (RuleEntry* r : outside) {
      if (!r->said)
        warn(*r, r->name() + " is " + std::string(other) + ", and the scope of this rule is " + scope);
    }
  }

  void check_names() {
    // Names of other kinds cannot have such letters.
    if (std::ranges::find(groups_, "rbac.authorization.k8s.io", &RuleEntry::text) != groups_.end()) return;
    for (RuleEntry& n : read_list(rule_, "resourceNames", path_)) {
      if (n.text.find('*') != n.text.npos)
        warn(n, quote_json(n.text) + " is taken as it is written: in resourceNames * is no wildcard",
             n.any() ? "without resourceNames a rule matches all names" : "");
    }
  }

  const RuleCatalog& catalog_;
  const Resources& known_;
  const InputObject& object_;
  const Value& rule_;
  const std::string path_;
  std::vector<PolicyProblem>& out_;
  Entries groups_, versions_, resources_, operations_;
  std::vector<bool> here_;                // by target of the catalog: whether one of the groups has it
  bool groups_unknown_ = false;           // whether an unknown resource may belong to one of the groups
  std::vector<std::string> with_former_;  // the groups of which a release removed something
  // The versions once they are what they mean, and those at which a release may have served what no table has.
  std::vector<std::string> version_texts_;
  std::unordered_set<std::string_view> version_names_;
  std::vector<const RuleEntry*> doubtful_versions_;
};

// The paths of the lists of rules in an object of the admission group.
std::vector<std::string> lists_of_rules(const InputObject& o) {
  if (!o.kind.ends_with("WebhookConfiguration")) {
    std::string of = o.kind.ends_with("Binding") ? "spec.matchResources." : "spec.matchConstraints.";
    return {of + "resourceRules", of + "excludeResourceRules"};
  }
  std::vector<std::string> out;
  const Value* hooks = find_member(o.value, "webhooks");
  if (hooks == nullptr || !hooks->is(Kind::List)) return out;
  for (size_t i = 0; i < hooks->as_list().size(); i++)
    out.push_back("webhooks[" + std::to_string(i) + "].rules");
  return out;
}

}  // namespace

void add_rule_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out) {
  RuleCatalog catalog(cluster.resources());
  for (auto* objects : {&cluster.policies(), &cluster.bindings(), &cluster.configurations()}) {
    for (const InputObject* o : *objects) {
      for (const std::string& path : lists_of_rules(*o)) {
        const Value* rules = find_path(o->value, path);
        if (rules == nullptr || !rules->is(Kind::List)) continue;
        for (size_t i = 0; i < rules->as_list().size(); i++) {
          if (!rules->as_list()[i].is(Kind::Map)) continue;
          RuleCheck(catalog, cluster.resources(), *o, rules->as_list()[i],
                    path + "[" + std::to_string(i) + "]", out)
              .run();
        }
      }
    }
  }
}

}  // namespace portcullis
