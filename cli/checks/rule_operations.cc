// Operations of a rule that its resources do not take. See checked_rule.h.
#include <algorithm>

#include "cli/checks/checked_rule.h"
#include "cli/messages/lists.h"

namespace portcullis {
namespace {

std::optional<Operation> operation_of(std::string_view name) {
  for (Operation o : kAllOperations) {
    if (operation_name(o) == name) return o;
  }
  return std::nullopt;
}

// "CREATE or UPDATE".
std::string or_names(uint8_t operations) {
  std::string text = operation_names(operations);
  size_t at = text.find(" and ");
  return at == text.npos ? text : text.replace(at, 5, " or ");
}

}  // namespace

// The operations that a resource of the rule takes; nothing if unknown.
std::optional<uint8_t> CheckedRule::taken(const RuleEntry& r) const {
  if (r.open || (open_groups() && r.any())) return std::nullopt;
  uint8_t all = 0;
  for (const RuleTarget& t : catalog_.targets()) {
    if (!in_groups(t) || !in_versions(t) || !fits(r, t)) continue;
    if (t.loose && (!r.sub.empty() || !t.subresource.empty())) return std::nullopt;
    all |= t.operations;
  }
  return all;
}

void CheckedRule::check_operations() {
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
    if (!r->said) warn(*r, r->name() + " takes " + operation_names(*operations) + ", not " + or_names(named));
  }
  bool idle_connect = known && named != anything && (named & kConnect) != 0 && (taken_at_all & kConnect) == 0;
  if (!idle_connect) return;
  for (RuleEntry& o : operations_) {
    if (o.text == operation_name(Operation::Connect))
      warn(o, takes(list, taken_at_all, kConnect), connect_hint(list, kConnect));
  }
}

std::string CheckedRule::takes(const std::vector<RuleEntry*>& list, uint8_t taken, uint8_t named) const {
  if (list.size() == 1 && !list[0]->any())
    return list[0]->name() + " takes " + operation_names(taken) + ", not " + or_names(named);
  return "no resource of this rule takes " + or_names(named);
}

// Suggests the subresources that take CONNECT.
std::string CheckedRule::connect_hint(const std::vector<RuleEntry*>& list, uint8_t named) const {
  if (named != kConnect) return {};
  std::vector<std::string> names;
  for (const RuleTarget& t : catalog_.targets()) {
    bool of_rule = std::ranges::any_of(list, [&](const RuleEntry* r) { return r->text == t.resource; });
    if (in_groups(t) && of_rule && t.operations == kConnect) names.push_back(t.name());
  }
  if (names.empty()) return {};
  return listed(names) + (names.size() == 1 ? " does" : " do");
}

}  // namespace portcullis
