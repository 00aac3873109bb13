// See coverage.h.
#include "cli/coverage/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/engine/loaded.h"

namespace portcullis {

// Makes the plan of one engine, and room for its counts.
class Planner {
 public:
  Planner(Coverage& coverage, const ReviewCluster& cluster, const Engine& engine)
      : coverage_(coverage), cluster_(cluster), loaded_(engine.loaded()) {}

  std::shared_ptr<const CoveragePlan> make() {
    for (const InputObject* object : cluster_.policies()) {
      const bool mutating = is_mutating(*object);
      const std::vector<LoadedPolicy>& list = mutating ? loaded_.mutating : loaded_.policies;
      auto found = std::ranges::find(list, object->name, &LoadedPolicy::name);
      const LoadedPolicy* loaded = found == list.end() ? nullptr : &*found;
      CoveragePolicy& policy = known(*object, mutating, loaded);
      watch(policy, loaded, (mutating ? plan_->mutating : plan_->validating)[policy.name]);
    }
    return plan_;
  }

 private:
  size_t counter(Outcomes& target) {
    plan_->targets.push_back(&target);
    return plan_->targets.size() - 1;
  }

  // --- the policy as it stands in its file ---

  CoveragePolicy& known(const InputObject& object, bool mutating, const LoadedPolicy* loaded) {
    const Position at = object.locate("");
    const std::string key =
        fmt::format("{}:{}:{}:{}:{}", object.file->name, at.line, at.column, mutating, object.name);
    CoveragePolicy*& slot = coverage_.known_[key];
    if (slot == nullptr) {
      slot = &coverage_.policies_.emplace_back();
      describe(*slot, object, mutating);
    }
    // A suite without a binding says nothing about the parts.
    if (loaded != nullptr) fill_parts(*slot, *loaded);
    return *slot;
  }

  void describe(CoveragePolicy& policy, const InputObject& object, bool mutating) {
    coverage_.files_.try_emplace(object.file->name, object.file->text);
    policy.name = object.name;
    policy.kind = object.kind;
    policy.file = object.file->name;
    policy.mutating = mutating;
    policy.position = object.locate("");
    if (const Value* written = find_path(object.value, "spec.failurePolicy");
        written && written->is(Kind::String))
      policy.failure_policy = written->as_text();
    for (const PlacedExpression& e : expressions_of(object.value)) {
      if (e.text.empty()) continue;
      CoverageExpression& added = policy.expressions.emplace_back();
      added.role = e.place->role;
      added.index = e.index;
      added.name = e.name;
      added.path = e.path;
      added.text = e.text;
      added.position = object.locate(e.path);
      take_places(added, object.places_in(e.path, e.text));
    }
  }

  // From bytes to code points.
  static void take_places(CoverageExpression& e, const std::vector<Position>& bytes) {
    for (size_t i = 0; i < bytes.size(); i++) {
      if ((e.text[i] & 0xc0) != 0x80) e.places.push_back(bytes[i]);
    }
  }

  // --- the policy as it is loaded ---

  // The program of an expression of the file; null if it is absent or does not compile.
  static ProgramPtr program_of(const LoadedPolicy& policy, const CoverageExpression& e) {
    auto of = [&](const std::vector<PolicyExpression>& list) {
      return e.index < list.size() ? list[e.index].program : nullptr;
    };
    switch (e.role) {
      case ExpressionRole::MatchCondition: return of(policy.conditions);
      case ExpressionRole::Validation: return of(policy.checks);
      case ExpressionRole::Message: return of(policy.messages);
      case ExpressionRole::Annotation: return of(policy.annotation_values);
      case ExpressionRole::ApplyConfiguration:
      case ExpressionRole::JsonPatch: {
        const bool all =
            policy.mutations.size() == policy.mutation_count && e.index < policy.mutations.size();
        return all ? policy.mutations[e.index].expression.program : nullptr;
      }
      case ExpressionRole::Variable: {
        auto found = std::ranges::find(policy.variables, e.name, &PolicyVariable::name);
        return found != policy.variables.end() && found->text == e.text ? found->program : nullptr;
      }
    }
    return nullptr;
  }

  // The same expression and a program for it that tells the values of nodes.
  struct Watched {
    ExpressionPtr expression;
    ProgramPtr program;
  };
  Watched compile_watched(const LoadedPolicy& policy, const CoverageExpression& e) const {
    const ProgramPtr plain = program_of(policy, e);
    if (plain == nullptr) return {};
    Result<ExpressionPtr> expression = compile(e.text, plain->environment());
    if (!expression.ok()) return {};
    Result<ProgramPtr> program = make_program(*expression, {.paths = plain->paths(), .watch = true});
    return program.ok() ? Watched{*expression, *program} : Watched{};
  }

  void fill_parts(CoveragePolicy& policy, const LoadedPolicy& loaded) {
    for (CoverageExpression& e : policy.expressions) {
      if (!e.parts.empty()) continue;
      const Watched made = compile_watched(loaded, e);
      if (made.program == nullptr) continue;
      e.parts = coverage_parts(*made.expression, watched_nodes(*made.program));
      e.seen.resize(e.parts.size());
    }
  }

  // --- what to watch ---

  void watch(CoveragePolicy& policy, const LoadedPolicy* loaded, WatchedPolicy& out) {
    out.failures = counter(policy.failures);
    for (CoverageExpression& e : policy.expressions) {
      WatchedExpression watched = watch(e, loaded);
      if (e.role == ExpressionRole::Variable) {
        out.variables.insert_or_assign(e.name, std::move(watched));  // of two with one name the later counts
        continue;
      }
      std::vector<WatchedExpression>& list = list_of(out, e.role);
      if (list.size() <= e.index) list.resize(e.index + 1);
      list[e.index] = std::move(watched);
    }
    for (const InputObject* b : cluster_.bindings()) {
      if (bound_policy(*b) == policy.name && is_mutating(*b) == policy.mutating)
        out.bindings[std::string(b->name)] = counter(bind(policy, *b).seen);
    }
  }

  static std::vector<WatchedExpression>& list_of(WatchedPolicy& out, ExpressionRole role) {
    switch (role) {
      case ExpressionRole::MatchCondition: return out.conditions;
      case ExpressionRole::Validation: return out.validations;
      case ExpressionRole::Message: return out.messages;
      case ExpressionRole::Annotation: return out.annotations;
      default: return out.mutations;
    }
  }

  WatchedExpression watch(CoverageExpression& e, const LoadedPolicy* loaded) {
    WatchedExpression out;
    out.counter = counter(e.whole);
    if (loaded != nullptr && !e.parts.empty()) out.program = compile_watched(*loaded, e).program;
    for (size_t i = 0; i < e.parts.size(); i++) {
      counter(e.seen[i]);
      const size_t node = static_cast<size_t>(std::max(e.parts[i].node, 0));
      if (out.slots.size() <= node) out.slots.resize(node + 1);
      if (e.parts[i].test < 0) out.slots[node] = static_cast<int32_t>(i + 1);
    }
    return out;
  }

  CoverageBinding& bind(CoveragePolicy& policy, const InputObject& object) {
    for (CoverageBinding& b : policy.bindings) {
      if (b.name == object.name && b.file == object.file->name) return b;
    }
    coverage_.files_.try_emplace(object.file->name, object.file->text);
    CoverageBinding& b = policy.bindings.emplace_back();
    b.name = object.name;
    b.file = object.file->name;
    b.position = object.locate("");
    if (const Value* ref = find_path(object.value, "spec.paramRef"); ref != nullptr && ref->is(Kind::Map)) {
      b.has_params = true;
      b.not_found = text_member(*ref, "parameterNotFoundAction");
      b.param_position = object.locate("spec.paramRef", true);
    }
    return b;
  }

  Coverage& coverage_;
  const ReviewCluster& cluster_;
  const Engine::Loaded& loaded_;
  std::shared_ptr<CoveragePlan> plan_ = std::make_shared<CoveragePlan>();
};

std::shared_ptr<const CoveragePlan> Coverage::plan(const ReviewCluster& cluster, const Engine& engine) {
  std::lock_guard lock(mutex_);
  return Planner(*this, cluster, engine).make();
}

void Coverage::add(const CoveragePlan& plan, const std::vector<Outcomes>& counts) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < std::min(counts.size(), plan.targets.size()); i++) *plan.targets[i] += counts[i];
}

std::vector<const CoveragePolicy*> Coverage::policies() const {
  std::vector<const CoveragePolicy*> out;
  for (const CoveragePolicy& p : policies_) out.push_back(&p);
  std::ranges::sort(out, [](const CoveragePolicy* a, const CoveragePolicy* b) {
    return std::tie(a->file, a->position.line, a->position.column, a->name) <
           std::tie(b->file, b->position.line, b->position.column, b->name);
  });
  return out;
}

CoverageCount Coverage::total() const {
  CoverageCount out;
  for (const CoveragePolicy& p : policies_) out += count_goals(p);
  return out;
}

}  // namespace portcullis
