// See namespace_use.h.
#include "cli/session/namespace_use.h"

#include <algorithm>

#include "admission/engine/policy.h"
#include "admission/engine/scene.h"
#include "manifests/namespaces.h"

namespace portcullis {
namespace {

// Whether the rules match, whatever the labels of the namespace. An error of matching may depend on nothing else.
bool fits(const MatchRules& rules, const MatchScene& scene) {
  const MatchOutcome resources = rules.match_resources(scene);
  return (resources.matches || !resources.error.empty()) && !rules.match_excludes(scene).matches &&
         rules.selects_object(scene);
}

bool selects(const MatchRules& rules) { return !rules.namespace_selector().everything(); }

}  // namespace

void NamespaceUse::learn(const ReviewCluster& cluster) {
  for (const auto* list : {&cluster.policies(), &cluster.bindings(), &cluster.configurations()})
    any_ |= std::ranges::any_of(*list, [](auto* o) { return sees_namespaces(o->value); });
  for (const InputObject* p : cluster.policies()) {
    if (sees_namespaces(p->value)) policies_[is_mutating(*p)].insert(p->name);
  }
}

bool NamespaceUse::by(const Engine& engine, const AdmissionRequest& asked,
                      const AdmissionRequest& validated) const {
  return any_ && (by_sort(engine, asked, true) || by_sort(engine, validated, false));
}

bool NamespaceUse::by_sort(const Engine& engine, const AdmissionRequest& request, bool mutating) const {
  const Engine::Loaded& loaded = engine.loaded();
  Arena arena;
  const MatchScene scene = scene_of(loaded, request, arena);
  const auto rules = [&](const auto& of) -> const MatchRules& { return (*loaded.rules)[of.match]; };
  for (const LoadedPolicy& p : mutating ? loaded.mutating : loaded.policies) {
    const bool sees = policies_[mutating].contains(p.name);
    const bool may = std::ranges::any_of(p.bindings, [&](const PolicyBinding& b) {
      return (sees || selects(rules(b))) && fits(rules(b), scene);
    });
    if (may && fits(rules(p), scene)) return true;
  }
  return std::ranges::any_of(
      mutating ? loaded.mutating_webhooks : loaded.validating_webhooks,
      [&](const LoadedWebhook& w) { return selects(w.match) && fits(w.match, scene); });
}

}  // namespace portcullis
