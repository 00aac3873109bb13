// See coverage.h.
#include "cli/coverage/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/engine/loaded.h"
#include "admission/objects/field_error.h"

namespace portcullis {
namespace {

// "x-kubernetes-validations[0] of spec.items[]", of the rule at a path in a definition.
std::string rule_name(std::string_view path) {
  constexpr std::string_view kSchema = "openAPIV3Schema.", kRules = "x-kubernetes-validations";
  const size_t rules = path.rfind(kRules), begin = std::min(path.find(kSchema) + kSchema.size(), rules);
  std::string of;
  for (std::string_view rest = path.substr(begin, rules - begin); !rest.empty();) {
    // A name in brackets may have dots.
    const size_t bracket = rest.starts_with("properties[") ? rest.find("].") : rest.npos;
    const size_t end = bracket != rest.npos ? bracket + 1 : std::min(rest.find('.'), rest.size());
    const std::string_view step = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (step.starts_with("properties["))
      of = child(of, step.substr(step.find('[') + 1, step.size() - step.find('[') - 2));
    else if (step == "items" || step == "additionalProperties")
      of += "[]";
  }
  return std::string(path.substr(rules)) + " of " + (of.empty() ? "the object" : of);
}

}  // namespace

// Makes the plan of one engine, and room for its counts.
class Planner {
 public:
  Planner(Coverage& coverage, const ReviewCluster& cluster, const Engine& engine)
      : coverage_(coverage), cluster_(cluster), loaded_(engine.loaded()) {}

  void add(const GivenDefinition& given) {
    const std::vector<crd::PlacedRule> rules = given.definition->rules();
    if (rules.empty()) return;
    auto [policy, is_new] = slot_of(*given.object, false);
    if (is_new) describe(policy, *given.object, rules);
    size_t next = 0;  // of the expressions, which are in the order of the rules
    auto watch_next = [&](const std::string& text, const ProgramPtr& plain, WatchedExpression& out) {
      if (text.empty()) return;
      CoverageExpression& e = policy.expressions[next++];
      if (plain == nullptr) return;
      const Watched made = compile_watched(e.text, *plain);
      fill_parts(e, made);
      out = watch(e, made.program);
    };
    for (const crd::PlacedRule& r : rules) {
      WatchedRule& watched = plan_->rules[r.compiled];
      watch_next(r.text->rule, r.compiled->program, watched.rule);
      watch_next(r.text->message_expression, r.compiled->message, watched.message);
    }
  }

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
    auto [policy, is_new] = slot_of(object, mutating);
    if (is_new) describe(policy, object);
    // A suite without a binding says nothing about the parts.
    if (loaded == nullptr) return policy;
    for (CoverageExpression& e : policy.expressions) {
      const ProgramPtr plain = e.parts.empty() ? program_of(*loaded, e) : nullptr;
      if (plain != nullptr) fill_parts(e, compile_watched(e.text, *plain));
    }
    return policy;
  }

  // What is known of the object, and whether that is nothing but its name and place.
  std::pair<CoveragePolicy&, bool> slot_of(const InputObject& object, bool mutating) {
    const Position at = object.locate("");
    const std::string key =
        fmt::format("{}:{}:{}:{}:{}", object.file->name, at.line, at.column, mutating, object.name);
    CoveragePolicy*& slot = coverage_.known_[key];
    if (slot != nullptr) return {*slot, false};
    slot = &coverage_.policies_.emplace_back();
    coverage_.files_.try_emplace(object.file->name, object.file->text);
    slot->name = object.name;
    slot->kind = object.kind;
    slot->file = object.file->name;
    slot->mutating = mutating;
    slot->position = at;
    return {*slot, true};
  }

  void describe(CoveragePolicy& policy, const InputObject& object) {
    if (const Value* written = find_path(object.value, "spec.failurePolicy");
        written && written->is(Kind::String))
      policy.failure_policy = written->as_text();
    for (const PlacedExpression& e : expressions_of(object.value)) {
      if (e.text.empty()) continue;
      CoverageExpression& added = describe(policy, object, e.path, std::string(e.text));
      added.role = e.place->role;
      added.index = e.index;
      added.name = e.name;
    }
  }

  void describe(CoveragePolicy& policy, const InputObject& object, std::span<const crd::PlacedRule> rules) {
    policy.defines = true;
    for (const crd::PlacedRule& r : rules) {
      auto add = [&](ExpressionRole role, const std::string& text, std::string_view field) {
        if (text.empty()) return;
        CoverageExpression& added = describe(policy, object, child(r.path, field), text);
        added.role = role;
        added.index = r.index;
        added.name = rule_name(r.path);
      };
      add(ExpressionRole::Validation, r.text->rule, "rule");
      add(ExpressionRole::Message, r.text->message_expression, "messageExpression");
    }
  }

  static CoverageExpression& describe(CoveragePolicy& policy, const InputObject& object, std::string path,
                                      std::string text) {
    CoverageExpression& added = policy.expressions.emplace_back();
    added.position = object.locate(path);
    take_places(added, text, object.places_in(path, text));
    added.path = std::move(path);
    added.text = std::move(text);
    return added;
  }

  // From bytes to code points.
  static void take_places(CoverageExpression& e, std::string_view text, const std::vector<Position>& bytes) {
    for (size_t i = 0; i < bytes.size(); i++) {
      if ((text[i] & 0xc0) != 0x80) e.places.push_back(bytes[i]);
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
  static Watched compile_watched(const std::string& text, const Program& plain) {
    Result<ExpressionPtr> expression = compile(text, plain.environment());
    if (!expression.ok()) return {};
    Result<ProgramPtr> program = make_program(*expression, {.paths = plain.paths(), .watch = true});
    return program.ok() ? Watched{*expression, *program} : Watched{};
  }

  static void fill_parts(CoverageExpression& e, const Watched& made) {
    if (!e.parts.empty() || made.program == nullptr) return;
    e.parts = coverage_parts(*made.expression, watched_nodes(*made.program));
    e.seen.resize(e.parts.size());
  }

  // --- what to watch ---

  void watch(CoveragePolicy& policy, const LoadedPolicy* loaded, WatchedPolicy& out) {
    out.failures = counter(policy.failures);
    for (CoverageExpression& e : policy.expressions) {
      const ProgramPtr plain = loaded == nullptr || e.parts.empty() ? nullptr : program_of(*loaded, e);
      WatchedExpression watched =
          watch(e, plain == nullptr ? nullptr : compile_watched(e.text, *plain).program);
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

  WatchedExpression watch(CoverageExpression& e, ProgramPtr program) {
    WatchedExpression out;
    out.program = std::move(program);
    out.counter = counter(e.whole);
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

std::shared_ptr<const CoveragePlan> Coverage::plan(const ReviewCluster& cluster, const Engine& engine,
                                                   std::span<const GivenDefinition> definitions) {
  std::lock_guard lock(mutex_);
  Planner planner(*this, cluster, engine);
  for (const GivenDefinition& d : definitions) planner.add(d);
  return planner.make();
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
