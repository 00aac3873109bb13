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
  for (size_t i = 0; i < list_at(o.value, "webhooks").size(); i++)
    out.push_back("webhooks[" + std::to_string(i) + "].rules");
  return out;
}

}  // namespace

void add_rule_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out) {
  RuleCatalog catalog(cluster.resources());
  for (auto* objects : {&cluster.policies(), &cluster.bindings(), &cluster.configurations()}) {
    for (const InputObject* o : *objects) {
      for (const std::string& path : lists_of_rules(*o)) {
        const std::span<const Value> rules = list_at(o->value, path);
        for (size_t i = 0; i < rules.size(); i++) {
          if (!rules[i].is(Kind::Map)) continue;
          CheckedRule(catalog, cluster.resources(), *o, rules[i], path + "[" + std::to_string(i) + "]", out)
              .check();
        }
      }
    }
  }
}

}  // namespace portcullis
