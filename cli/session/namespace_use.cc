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

// Whether a request may reach a binding of which `wanted` is true.
template <class Wanted>
bool reaches_binding(const Engine& engine, const MatchScene& scene, bool mutating, Wanted wanted) {
  const Engine::Loaded& loaded = engine.loaded();
  return std::ranges::any_of(mutating ? loaded.mutating : loaded.policies, [&](const LoadedPolicy& p) {
    const bool may = std::ranges::any_of(loaded.bindings_of(p), [&](const PolicyBinding& b) {
      return wanted(p, b) && fits((*loaded.rules)[b.match], scene);
    });
    return may && fits((*loaded.rules)[p.match], scene);
  });
}

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
  return any_ && (selects_by_sort(engine, asked, true) || selects_by_sort(engine, validated, false));
}

bool NamespaceUse::takes(const Contradictions& params, const Engine& engine, const AdmissionRequest& asked,
                         const AdmissionRequest& validated) {
  for (const bool mutating : {true, false}) {
    Arena arena;
    const MatchScene scene = scene_of(engine.loaded(), mutating ? asked : validated, arena);
    if (reaches_binding(engine, scene, mutating, [&](const LoadedPolicy&, const PolicyBinding& b) {
          return params.of_params(b.name, mutating);
        }))
      return true;
  }
  return false;
}

bool NamespaceUse::selects_by_sort(const Engine& engine, const AdmissionRequest& request,
                                   bool mutating) const {
  const Engine::Loaded& loaded = engine.loaded();
  Arena arena;
  const MatchScene scene = scene_of(loaded, request, arena);
  const auto sees = [&](const LoadedPolicy& p, const PolicyBinding& b) {
    return policies_[mutating].contains(p.name) || selects((*loaded.rules)[b.match]);
  };
  if (reaches_binding(engine, scene, mutating, sees)) return true;
  return std::ranges::any_of(
      mutating ? loaded.mutating_webhooks : loaded.validating_webhooks,
      [&](const LoadedWebhook& w) { return selects(w.match) && fits(w.match, scene); });
}

}  // namespace portcullis
