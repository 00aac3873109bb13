// See reach.h.
#include "cli/mutants/reach.h"

#include "admission/engine/loaded.h"

namespace portcullis {

std::string policy_key(std::string_view name, bool mutating) {
  return (mutating ? "m/" : "v/") + std::string(name);
}

std::string definition_key(std::string_view group, std::string_view plural) {
  return "d/" + std::string(group) + "/" + std::string(plural);
}

ReviewTrace* ReachObserver::trace(const suites::Batch& batch, const Session& session) {
  auto made = std::make_unique<Seen>();
  for (const auto& [number, list] : session.engine().loaded().equivalents) {
    for (const Equivalent& e : list) {
      if (list.size() > 1) made->versioned.emplace(e.resource.resource);
    }
  }
  std::lock_guard lock(mutex_);
  return &(batches_[&batch] = std::move(made))->bindings;
}

ReachObserver::Seen& ReachObserver::seen(const suites::Batch& batch) {
  std::lock_guard lock(mutex_);
  return *batches_.at(&batch);
}

void ReachObserver::decided(const suites::Decided& decided) {
  Seen& s = seen(decided.batch);
  for (const std::string& policy : s.bindings.policies) s.cases[policy].insert(&decided.test);
  s.bindings.policies.clear();
  const GroupVersionResource& resource = decided.decider.validated().resource;  // its kind may be Scale
  s.cases[definition_key(resource.group, resource.resource)].insert(&decided.test);
}

const ReachedBy& ReachObserver::cases(const suites::Batch& batch) const {
  static const ReachedBy kNone;
  auto found = batches_.find(&batch);
  return found == batches_.end() ? kNone : found->second->cases;
}

bool ReachObserver::has_versions(const suites::Batch& batch, const InputObject& policy) const {
  auto found = batches_.find(&batch);
  if (found == batches_.end()) return false;
  for (const Value& rule : list_at(policy.value, "spec.matchConstraints.resourceRules")) {
    for (const Value& r : list_at(rule, "resources")) {
      const bool named = r.is(Kind::String) && found->second->versioned.contains(std::string(r.as_text()));
      if (named) return true;
    }
  }
  return false;
}

}  // namespace portcullis
