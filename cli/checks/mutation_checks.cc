// See mutation_checks.h.
#include "cli/checks/mutation_checks.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "admission/expressions/expression_places.h"
#include "admission/patching/foreseen.h"
#include "cli/checks/reached_kinds.h"
#include "cli/messages/lists.h"
#include "grammar/source.h"
#include "interpreter/values/member.h"
#include "manifests/place.h"
#include "manifests/roles.h"

namespace portcullis {
namespace {

using patching::ExpressionPoint;
using patching::KnownExpression;

// A message lists so many kinds, and counts the others.
constexpr size_t kMostListedKinds = 3;

// A mistake at one position, for some of the kinds.
struct ForeseenMistake {
  patching::Foreseen first;
  std::vector<std::string> kinds;  // without duplicates
  size_t count = 0;                // number of kinds, duplicates included
  bool always = false;             // for one of them no condition decides
};

class MutationCheck {
 public:
  MutationCheck(const InputObject& policy, const ReviewCluster& cluster, const CompiledExpressions& compiled)
      : policy_(policy), compiled_(compiled) {
    const std::span<const Value> variables = list_at(policy.value, "spec.variables");
    for (size_t i = 0; i < variables.size(); i++) {
      if (auto known = find(expression_path(ExpressionRole::Variable, i)))
        variables_.emplace(std::string(text_member(variables[i], "name")), *known);
    }
    for (const InputObject* b : cluster.bindings()) {
      const Value* rules =
          binds(*b, policy) ? find_path(b->value, "spec.matchResources.resourceRules") : nullptr;
      narrowed_ |= rules != nullptr;
    }
  }

  void run(const ReachedKinds& reached, std::vector<PolicyProblem>& out) {
    for (const ReachedKind& kind : reached.kinds) check(kind);
    report(out);
    if (reached.unknown.empty()) return;
    std::set<std::string> names;
    for (const auto& u : reached.unknown) names.insert(u.name);
    std::string text = "its mutations are not checked for kinds without a definition among the files: ";
    for (const std::string& n : names) text += (n == *names.begin() ? "" : ", ") + n;
    const std::string& path = reached.unknown[0].path;
    out.push_back({&policy_, Severity::Note, path, text, policy_.locate(path, true)});
    out.back().ours = true;
  }

 private:
  size_t list_size(std::string_view path) const { return list_at(policy_.value, path).size(); }
  std::optional<KnownExpression> find(const std::string& path) const {
    ExpressionPtr expression = compiled_.find(policy_, path);
    return expression == nullptr ? std::nullopt : std::optional(KnownExpression{expression, path});
  }

  // The findings for one kind: those for every object, and those behind conditions.
  void check(const ReachedKind& kind) {
    patching::ObjectFacts facts{kind.kind, kind.resource, kind.schema.type, has_config_maps()};
    patching::Outliner outliner(variables_, facts);
    bool conditional = narrowed_;
    for (size_t i = 0; i < list_size("spec.matchConditions"); i++) {
      auto condition = find(expression_path(ExpressionRole::MatchCondition, i));
      std::optional<bool> known = condition ? outliner.decide(*condition) : std::nullopt;
      if (known && !*known) return;  // no object of the kind reaches the mutations
      conditional |= !known;
    }
    for (size_t i = 0; i < list_size("spec.mutations"); i++) {
      for (ExpressionRole role : {ExpressionRole::ApplyConfiguration, ExpressionRole::JsonPatch}) {
        const KnownExpression* known = mutation(expression_path(role, i));
        if (known == nullptr) continue;
        auto found = role == ExpressionRole::JsonPatch ? foresee_patch(outliner, *known, kind.schema)
                                                       : foresee_configuration(outliner, *known, kind.schema);
        std::set<ExpressionPoint> places;  // a kind counts once for each place
        for (patching::Foreseen& f : found) add(kind, f, conditional, places.insert(f.place).second);
      }
    }
    met_.push_back(outliner.met());
  }

  bool has_config_maps() const {
    const Value* params = param_kind(policy_);
    return params != nullptr && kind_key(*params) == kind_key("v1", "ConfigMap");
  }

  const KnownExpression* mutation(const std::string& path) {
    auto [slot, fresh] = mutations_.try_emplace(path);
    if (fresh) slot->second = find(path);
    return slot->second ? &*slot->second : nullptr;
  }

  void add(const ReachedKind& kind, patching::Foreseen& f, bool conditional, bool first) {
    auto found = std::ranges::find_if(mistakes_, [&](const ForeseenMistake& m) {
      return m.first.place == f.place && m.first.text == f.text;
    });
    if (found == mistakes_.end()) found = mistakes_.insert(found, ForeseenMistake{.first = f});
    std::string name = kind.kind.empty() ? "any custom resource" : kind.kind;
    if (std::ranges::find(found->kinds, name) == found->kinds.end()) found->kinds.push_back(name);
    found->count++;
    if (first) having_[f.place]++;
    if (!f.guarded && !conditional) always_.insert(f.place);
  }

  // Whether every kind that reaches the place has the mistake.
  bool is_common(const ForeseenMistake& m) const {
    auto meets = [&](const auto& met) { return met.contains(m.first.part); };
    return having_.at(m.first.place) >= static_cast<size_t>(std::ranges::count_if(met_, meets));
  }

  void report(std::vector<PolicyProblem>& out) {
    std::erase_if(mistakes_, [&](const ForeseenMistake& m) {
      return !always_.contains(m.first.place) && !is_common(m);
    });
    std::ranges::stable_sort(mistakes_, [](const ForeseenMistake& a, const ForeseenMistake& b) {
      return std::pair(a.first.place.source->path, a.first.place.offset) <
             std::pair(b.first.place.source->path, b.first.place.offset);
    });
    for (const ForeseenMistake& m : mistakes_) {
      const std::string& path = m.first.place.source->path;
      bool known = !out.empty() && out.back().object == &policy_ && out.back().path == path &&
                   out.back().severity == Severity::Warning && !out.back().findings.empty();
      if (!known) out.push_back({&policy_, Severity::Warning, path, text_of(m), place_of(m.first.place)});
      out.back().ours = true;
      out.back().findings.push_back({place_of(m.first.place), text_of(m), m.first.hint});
    }
  }

  static std::string text_of(const ForeseenMistake& m) {
    return m.first.text + " (" + first_few(m.kinds, kMostListedKinds) + ")";
  }

  Position place_of(const ExpressionPoint& point) const {
    std::string_view text = point.source->expression->text();
    Location l = Source(text).location(point.offset);
    return place_in_scalar(policy_.file->text, policy_.locate(point.source->path), text,
                           offset_in(text, {l.line, l.column + 1}))
        .value_or(policy_.locate(point.source->path, true));
  }

  const InputObject& policy_;
  const CompiledExpressions& compiled_;
  patching::KnownVariables variables_;
  std::map<std::string, std::optional<KnownExpression>> mutations_;
  bool narrowed_ = false;                             // a binding has rules of its own
  std::vector<std::unordered_set<const Expr*>> met_;  // parts of expressions, by kind
  std::vector<ForeseenMistake> mistakes_;
  std::map<ExpressionPoint, size_t> having_;  // number of kinds with a mistake at a place
  std::set<ExpressionPoint> always_;          // places of mistakes without a condition
};

}  // namespace

void add_mutation_problems(const ReviewCluster& cluster, const CompiledExpressions& compiled,
                           const std::vector<std::shared_ptr<const crd::Definition>>& definitions,
                           std::vector<PolicyProblem>& problems) {
  for (const InputObject* policy : cluster.policies()) {
    if (!is_mutating(*policy)) continue;
    MutationCheck(*policy, cluster, compiled)
        .run(reached_kinds(*policy, cluster.resources(), definitions), problems);
  }
}

}  // namespace portcullis
