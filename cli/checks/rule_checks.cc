// See rule_checks.h.
#include "cli/checks/rule_checks.h"

#include "cli/checks/checked_rule.h"

namespace portcullis {
namespace {

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
          CheckedRule(catalog, cluster.resources(), *o, rules->as_list()[i],
                      path + "[" + std::to_string(i) + "]", out)
              .check();
        }
      }
    }
  }
}

}  // namespace portcullis
