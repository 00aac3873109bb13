// See skew.h.
#include "cli/checks/skew.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "admission/crd/formats.h"
#include "admission/crd/rule_costs.h"
#include "admission/expressions/expression_places.h"
#include "admission/policies/validation.h"
#include "admission/scalars/group_version.h"
#include "cli/checks/costs.h"
#include "grammar/shared_parses.h"
#include "manifests/resources.h"
#include "typecheck/estimate.h"

namespace portcullis {
namespace {

// The minors that introduced the versions of the kinds looked at here; removed versions are in manifests/removed.inc.
// Source: the lifecycles in the types of k8s.io/api.
struct Introduced {
  std::string_view kind, version;  // a kind, and its binding; the oldest version first
  uint32_t minor;
};
constexpr Introduced kIntroduced[] = {
    {"ValidatingAdmissionPolicy", "v1alpha1", 26}, {"ValidatingAdmissionPolicy", "v1beta1", 28},
    {"ValidatingAdmissionPolicy", "v1", 30},       {"MutatingAdmissionPolicy", "v1alpha1", 32},
    {"MutatingAdmissionPolicy", "v1beta1", 34},    {"MutatingAdmissionPolicy", "v1", 36},
};
// Fields of definitions that a server drops while their feature gate is off: optionalOldSelf of a rule
// (CRDValidationRatcheting), selectableFields of a version (CustomResourceFieldSelectors).
constexpr uint32_t kOptionalOldSelf = 30, kSelectableFields = 31;

void add_lifecycle(ObjectSkew& skew, ServerRange range) {
  const auto [group, version, well_formed] = split_api_version(skew.object->api_version);
  for (const Introduced& row : kIntroduced) {
    if (!skew.object->kind.starts_with(row.kind)) continue;
    if (skew.kind_since == 0) skew.kind_since = row.minor;
    if (version == row.version) skew.since = row.minor;
    skew.enabled_since = row.minor;  // the last one is v1, with which the gate was opened
  }
  skew.off_by_default = off_by_default(version);
  for (uint32_t minor = range.from; minor <= range.to; minor++) {
    Resources resources;
    resources.set_minor(minor);
    Resource found = resources.find(skew.object->api_version, skew.object->kind);
    skew.gone = found.gone;
    skew.served.push_back(found.exists() && minor >= skew.since);
  }
}

// The states of one object's expressions, filled environment by environment.
class States {
 public:
  States(ObjectSkew& skew, ServerRange range) : skew_(skew), range_(range) {}

  // Calls `compile` with a version for each environment of the servers, and for the newest one, which may tell what
  // older ones lack; for others, too, if no server compiles an expression, until one does.
  template <class Compile>
  void fill(Compile compile) {
    for (uint32_t minor = range_.from; minor <= range_.to; minor++) {
      for (const KubernetesVersion& version : {new_on(minor), stored_on(minor)}) {
        auto environment = new_environment(version);
        const size_t count = environments_.size();
        const auto same =
            static_cast<size_t>(std::ranges::find(environments_, environment) - environments_.begin());
        if (same == count) compile(version);
        for (ExpressionSkew& e : skew_.expressions) {
          if (e.states.size() > count) continue;
          e.states.resize(count);
          e.states.push_back(same < count ? e.states[same] : ExpressionState());
        }
        environments_.push_back(std::move(environment));
      }
    }
    counts_ = false;
    for (uint32_t minor = ServerRange::kFirst; minor < KubernetesVersion::kLast && failing() != nullptr;
         minor++)
      compile(stored_on(minor));
    compile(stored_on(KubernetesVersion::kLast));
    if (const ExpressionSkew* e = failing()) skew_.invalid = e->path + ": no known release compiles it";
  }

  void add(const std::string& path, std::string label, Position position, const ExpressionPtr& expression,
           ExpressionState state, bool rule) {
    ExpressionSkew& e = find(path, std::move(label), position);
    if (state.compiles()) compiled_.insert(path);
    if (expression != nullptr && state.compiles() && e.needs.empty()) e.needs = needs_of(*expression, rule);
    if (!counts_) return;
    e.states.resize(environments_.size());
    e.states.push_back(std::move(state));
  }

 private:
  // An expression that no environment compiled; null if there is none.
  const ExpressionSkew* failing() const {
    for (const ExpressionSkew& e : skew_.expressions) {
      if (!compiled_.contains(e.path)) return &e;
    }
    return nullptr;
  }

  ExpressionSkew& find(const std::string& path, std::string label, Position position) {
    auto [at, fresh] = index_.try_emplace(path, skew_.expressions.size());
    if (fresh) skew_.expressions.push_back({.path = path, .label = std::move(label), .position = position});
    return skew_.expressions[at->second];
  }

  ObjectSkew& skew_;
  ServerRange range_;
  bool counts_ = true;  // whether the environment is one of the servers'
  std::vector<std::shared_ptr<const Environment>> environments_;  // of the states
  std::set<std::string> compiled_;                                // paths of what compiled at least once
  std::map<std::string, size_t> index_;
};

ExpressionState state_of(const CompiledExpression& compiled) {
  ExpressionState state{compiled.error};
  if (compiled.expression == nullptr) return state;
  state.type = type_string(compiled.expression->output_type());
  CostEstimate cost = estimate(compiled.expression->ast(), *compiled.expression->environment());
  state.min = cost.min;
  state.max = cost.max;
  return state;
}

// The first error that is none of an expression.
std::string other_error(const ObjectReport& report, const ObjectSkew& skew) {
  if (!report.decode_error.empty()) return report.decode_error;
  if (!report.strict_errors.empty()) return report.strict_errors[0].text();
  for (const FieldError& e : report.errors) {
    if (std::ranges::find(skew.expressions, e.field, &ExpressionSkew::path) == skew.expressions.end())
      return e.message;
  }
  return {};
}

ObjectSkew policy_skew(const InputObject& object, PolicyObjects& objects, ServerRange range) {
  ObjectSkew skew{.object = &object};
  add_lifecycle(skew, range);
  std::map<std::string, std::string> labels;
  for (const PlacedExpression& e : expressions_of(object.value)) labels[e.path] = label_of(e);
  States states(skew, range);
  ObjectReport report;
  states.fill([&](KubernetesVersion version) {
    ExpressionSetting setting{.version = version, .parses = &objects.parses()};
    setting.told = [&](const std::string& path, const CompiledExpression& compiled) {
      states.add(path, labels[path], object.locate(path, true), compiled.expression, state_of(compiled),
                 false);
    };
    report = check_decoded(objects.decoded(object), setting);
  });
  if (std::string error = other_error(report, skew); !error.empty()) skew.invalid = error;
  return skew;
}

void add_late_field(std::string path, uint32_t since, ServerRange range, ObjectSkew& skew,
                    bool ignored = false) {
  if (range.from >= since) return;
  const Position at = skew.object->locate(document_path(path), true);
  skew.late.push_back({std::move(path), at, since, ignored});
}

void add_late_fields(const crd::RuleCosts& costs, ServerRange range, ObjectSkew& skew) {
  for (const crd::RuleCost& rule : costs.rules) {
    if (rule.text->optional_old_self)
      add_late_field(rule.path + ".optionalOldSelf", kOptionalOldSelf, range, skew);
  }
}

void add_selectable_fields(ServerRange range, ObjectSkew& skew) {
  const std::span<const Value> versions = list_at(skew.object->value, "spec.versions");
  for (size_t i = 0; i < versions.size(); i++) {
    if (!list_at(versions[i], "selectableFields").empty())
      add_late_field("spec.versions[" + std::to_string(i) + "].selectableFields", kSelectableFields, range,
                     skew);
  }
}

// Adds the formats that came with a release.
void add_formats(const crd::SchemaPtr& schema, const std::string& path, ServerRange range, ObjectSkew& skew) {
  crd::for_each_schema(schema, path, [&](const crd::Schema& s, const std::string& at) {
    const bool of_text = s.type.empty() || s.type == "string";
    if (of_text && !s.format.empty())
      add_late_field(at + ".format", crd::format_since(s.format).value_or(0), range, skew, true);
  });
}

// A copy of a schema as a server before optionalOldSelf keeps it.
crd::SchemaPtr without_optional_old_self(const crd::SchemaPtr& given) {
  if (given == nullptr) return nullptr;
  auto s = std::make_shared<crd::Schema>(*given);
  for (crd::RuleText& rule : s->rules) rule.optional_old_self.reset();
  s->items = without_optional_old_self(s->items);
  s->additional = without_optional_old_self(s->additional);
  s->with_meta = without_optional_old_self(s->with_meta);
  for (auto& [name, property] : s->properties) property = without_optional_old_self(property);
  return s;
}

// Finds the rules that do not compile on servers which drop their optionalOldSelf.
void add_dropped(const std::string& path, const crd::SchemaPtr& schema, ServerRange range, ObjectSkew& skew) {
  const auto costs = crd::rule_costs(without_optional_old_self(schema), path,
                                     crd::new_rules(stored_on(kOptionalOldSelf - 1)));
  for (const crd::RuleCost& rule : costs.rules) {
    const auto late = [&](const LateField& f) { return f.path == rule.path + ".optionalOldSelf"; };
    if (rule.compiled.error.empty() || std::ranges::none_of(skew.late, late)) continue;
    for (ExpressionSkew& e : skew.expressions) {
      const bool message = e.path == rule.path + ".messageExpression";
      if (!message && e.path != rule.path + ".rule") continue;
      e.dropping = std::min<size_t>(kOptionalOldSelf - range.from, range.count());
      e.dropping_error = message ? "its rule does not compile" : rule.compiled.error;
    }
  }
}

ObjectSkew definition_skew(const GivenDefinition& given, ServerRange range) {
  ObjectSkew skew{.object = given.object};
  add_lifecycle(skew, range);
  const auto schemas = given.definition->schemas();
  States states(skew, range);
  states.fill([&](KubernetesVersion version) {
    skew.late.clear();
    for (const auto& [path, schema] : schemas) {
      std::map<std::string, ExpressionPtr> compiled;
      crd::RuleCosts costs = crd::rule_costs(
          schema, path, crd::new_rules(version),
          [&](const std::string& rule, bool message, const ExpressionPtr& expression, const SizeEstimator&) {
            compiled[rule + (message ? ".messageExpression" : ".rule")] = expression;
          });
      auto add = [&](const crd::RuleCost& rule, bool message, const std::string& error, uint64_t cost) {
        std::string at = rule.path + (message ? ".messageExpression" : ".rule");
        ExpressionState state{error};
        state.min = state.max = cost;
        state.type = error.empty() ? (message ? "string" : "bool") : "";
        if (error.empty() && cost > crd::kRuleCostLimit)
          state.refused = "its estimated cost exceeds the limit";
        states.add(at, rule_label(rule.path, message), given.object->locate(document_path(at), true),
                   compiled[at], std::move(state), true);
      };
      for (const crd::RuleCost& rule : costs.rules) {
        add(rule, false, rule.compiled.error, rule.whole);
        bool message = !rule.text->message_expression.empty() && rule.compiled.error.empty();
        if (message) add(rule, true, rule.compiled.message_error, rule.compiled.message_max_cost);
      }
      add_late_fields(costs, range, skew);
    }
  });
  if (!skew.late.empty()) {
    for (const auto& [path, schema] : schemas) add_dropped(path, schema, range, skew);
  }
  add_selectable_fields(range, skew);
  for (const auto& [path, schema] : schemas) add_formats(schema, path, range, skew);
  if (std::string error = given.definition->schema_error(); !error.empty()) skew.invalid = error;
  if (schemas.empty() && skew.invalid.empty()) skew.invalid = given.refusal();
  std::ranges::stable_sort(skew.expressions, {}, [](const ExpressionSkew& e) {
    return std::pair(e.position.line, e.position.column);
  });
  return skew;
}

// A messageExpression is compiled only if its rule compiles, so some states may lack.
void complete(ObjectSkew& skew, ServerRange range) {
  for (ExpressionSkew& e : skew.expressions) {
    for (ExpressionState& state : e.states) {
      if (state.type.empty() && state.error.empty()) state.error = "its rule does not compile";
    }
    e.states.resize(2 * range.count(), {.error = "its rule does not compile"});
    // What runs on the server before did not need what came later.
    std::erase_if(e.needs, [&](const Need& n) {
      return n.minor > range.from && n.minor <= range.to + 1 && e.stored(n.minor - 1 - range.from).compiles();
    });
  }
}

}  // namespace

std::string late(const Need& need) { return need.what + " came with 1." + std::to_string(need.minor); }

std::vector<ObjectSkew> skew_of(const ReviewCluster& cluster, const Definitions& definitions,
                                ServerRange range) {
  std::vector<ObjectSkew> out;
  for (auto* list : {&cluster.policies(), &cluster.bindings(), &cluster.configurations()}) {
    for (const InputObject* o : *list) {
      out.push_back(policy_skew(*o, cluster.objects(), range));
      cluster.objects().forget();
    }
  }
  for (const GivenDefinition& given : definitions.all()) out.push_back(definition_skew(given, range));
  for (ObjectSkew& skew : out) complete(skew, range);
  return out;
}

}  // namespace portcullis
