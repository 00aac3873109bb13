// Resources that a rule names but never matches: at its versions, in its groups and scope, or because nobody is asked
// about them. See checked_rule.h.
#include <algorithm>

#include "admission/builtin/registration.h"
#include "admission/foresight/known_request.h"
#include "cli/checks/checked_rule.h"
#include "cli/messages/lists.h"
#include "interpreter/values/json.h"
#include "manifests/kind_words.h"

namespace portcullis {

std::string CheckedRule::where_served(const RuleEntry& r) const {
  std::vector<std::string> where;
  for (const RuleTarget& t : catalog_.targets()) {
    if (!in_groups(t) || t.resource != r.text || !t.subresource.empty()) continue;
    where.push_back(t.api_version());
  }
  return where.empty() || where.size() > kMaxListed ? "" : "it is served in " + listed(where);
}

void CheckedRule::check_served() {
  if (!all_settled()) return;
  std::vector<RuleEntry*> list = settled();
  if (list.empty()) return;
  for (RuleEntry* r : list) {
    r->dead = !any_target([&](const RuleTarget& t) { return in_groups(t) && in_versions(t) && fits(*r, t); });
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
    warn(*r, r->name() + " is not served in " + listed(named), r->any() ? "" : where_served(*r));
  }
}

std::string CheckedRule::not_served(const std::vector<RuleEntry*>& list, const std::string& version) const {
  if (list.size() == 1 && !list[0]->any())
    return list[0]->name() + " is not served in " +
           (groups_.size() == 1 ? join_api_version(groups_[0].text, version) : version);
  return "no resource of this rule is served in " +
         (groups_.size() == 1 ? join_api_version(groups_[0].text, version) : quote_json(version));
}

std::string CheckedRule::version_hint(const std::vector<RuleEntry*>& list, uint32_t gone) const {
  std::string hint = gone == 0 ? "" : gone_since(gone);
  const RuleEntry& first = *list[0];
  if (first.any()) return hint;
  std::string where = where_served(first);
  if (list.size() > 1 && !where.empty()) where = first.text + where.substr(2);
  return hint.empty() || where.empty() ? hint + where : hint + "; " + where;
}

// Reports resources that no webhook or no policy sees. Of reviews in the rules of webhooks, the API server warns.
void CheckedRule::check_seen() {
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
void CheckedRule::check_idle_groups() {
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

void CheckedRule::check_scope() {
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

}  // namespace portcullis
