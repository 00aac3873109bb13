// What is wrong with policies, bindings, webhook configurations and definitions, alone and together. See cluster.h.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "admission/expressions/expression_places.h"
#include "admission/expressions/managed_fields_use.h"
#include "admission/expressions/variable_fields.h"
#include "admission/policies/validation.h"
#include "admission/scalars/spelling.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/kind_problems.h"
#include "cli/cluster/prepared_objects.h"
#include "cli/functions/function_hints.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reading/unquoted.h"
#include "interpreter/formats/text.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

// The problems of one object, in the order of the API server.
class ObjectProblems {
 public:
  ObjectProblems(std::vector<PolicyProblem>& out, const InputObject& object, KubernetesVersion version)
      : out_(out), object_(object), version_(version) {}

  void add_all(PolicyObjects& objects, const ReviewCluster::Told& told) {
    ExpressionSetting setting{.version = version_, .parses = &objects.parses(), .valid = &objects.valid()};
    if (told.expression) {
      setting.told = [&](const auto& path, const auto& compiled) {
        told.expression(object_, path, compiled);
      };
    }
    ObjectReport report = check_decoded(objects.decoded(object_), setting);
    if (!report.decode_error.empty()) {
      add(Severity::Error, report.decode_error_place, report.decode_error).hint =
          unquoted_hint(object_, report.decode_error_place, report.decode_error);
    }
    for (const builtin::UnknownField& f : report.strict_errors)
      add(Severity::Error, f.path, f.text()).hint = unknown_field_hint(f);
    for (const FieldError& e : report.errors) add_error(e);
    for (const std::string& text : report.warnings) add(Severity::Warning, "", text);
    if (told.object) told.object(object_);
  }

  PolicyProblem& add(Severity severity, std::string path, std::string text) {
    return out_.emplace_back(
        PolicyProblem{&object_, severity, path, std::move(text), object_.locate(path, true)});
  }

 private:
  void add_error(const FieldError& e) {
    PolicyProblem& problem = add(Severity::Error, e.field, e.message);
    auto issues = cel_issues(e.detail);
    if (!issues.empty()) place(problem, issues);
    if (e.detail.find("must evaluate to list(JSONPatch)") == e.detail.npos) return;
    if (e.detail.ends_with("but got JSONPatch")) problem.hint = "put it in brackets: [JSONPatch{...}]";
    if (e.detail.ends_with("but got list(map(string, string))")) problem.hint = kNoMap;
  }

  // Says nothing of a word that is right elsewhere: request has no uid, but request.userInfo has.
  static std::string meant(std::string_view word, const std::vector<std::string>& candidates) {
    if (std::ranges::count(candidates, word) > 0) return {};
    return did_you_mean(nearest(word, candidates));
  }
  // The later minor that an expression needs for syntax, a macro or an overload (not a function). Empty if
  // the version is not the problem.
  std::string newer_minor(const ExpressionPlace& place, std::string_view text) const {
    VariableFields fields;
    for (const Value& v : list_at(object_.value, "spec.variables"))
      fields.add(text_member(v, "name"), nullptr);
    PolicyVariables declared = place.declared(param_kind(object_) != nullptr);
    std::optional<uint32_t> minor = minor_of_expression(
        text,
        [&](EnvironmentBuilder& builder) {
          add_policy_variables(builder, declared);
          builder.provider(&fields).variable("variables", variables_type());
        },
        version_.minor);
    return !minor || *minor <= version_.minor ? ""
                                              : "the expression needs Kubernetes 1." + std::to_string(*minor);
  }
  // A hint for an undeclared name in an expression: why it is not declared there, or a variable of similar
  // name.
  std::string meant_name(const ExpressionPlace& place, std::string_view issue) const {
    size_t first = issue.find('\''), last = issue.find('\'', first + 1);
    if (last == issue.npos) return {};
    std::string_view word = issue.substr(first + 1, last - first - 1);
    if (issue.starts_with("undeclared reference to")) {
      if (word == "variables")
        return !place.variables ? "matchConditions cannot use variables" : "the policy has no variables";
      if (word == "params") return "params needs spec.paramKind";
      if (word == "authorizer") return "this expression has no authorizer";
      return meant(
          word, {"object", "oldObject", "request", "params", "namespaceObject", "authorizer", "variables"});
    }
    if (!issue.starts_with("undefined field")) return {};
    std::vector<std::string> names;
    for (const TypeField& field : admission_type_fields()) names.emplace_back(field.field);
    for (const Value& v : list_at(object_.value, "spec.variables"))
      names.emplace_back(text_member(v, "name"));
    return meant(word, names);
  }
  static constexpr std::string_view kNoMap =
      "an operation is no map: write JSONPatch{op: ..., path: ..., value: ...}";
  // A hint for operations of a patch that are written as maps, as in JSON.
  static std::string meant_operation(const ExpressionPlace& place, std::string_view text) {
    const bool maps = text.find("{\"op\"") != text.npos || text.find("{'op'") != text.npos;
    if (place.role != ExpressionRole::JsonPatch || !maps) return {};
    return std::string(kNoMap);
  }
  // Puts each issue of an expression at its position in the file.
  void place(PolicyProblem& problem, const std::vector<CelIssue>& issues) {
    const ExpressionPlace* expression = place_at(problem.path);
    const Value* node = find_path(object_.value, problem.path);
    if (expression == nullptr || node == nullptr || !node->is(Kind::String)) return;
    std::string_view text = expression->trimmed ? trim_space(node->as_text()) : node->as_text();
    bool dated = false;
    for (const CelIssue& issue : issues) {
      auto at = object_.place_in(problem.path, text, issue.position);
      std::string hint = explain_missing_function(std::string(issue.text), version_);
      dated = dated || !hint.empty();
      if (hint.empty()) hint = meant_name(*expression, issue.text);
      if (hint.empty()) hint = meant_function(issue.text, issue.position, text, version_);
      if (hint.empty() && issue.text.starts_with("expected type")) hint = meant_operation(*expression, text);
      problem.findings.push_back({at.value_or(problem.position), std::string(issue.text), hint});
    }
    std::string newer = dated ? "" : newer_minor(*expression, text);
    if (!newer.empty()) problem.findings[0].hint = newer;
    problem.position = problem.findings[0].position;
  }

  std::vector<PolicyProblem>& out_;
  const InputObject& object_;
  KubernetesVersion version_;
};

// Compiles policies for loading while they are decoded and parsed for validation.
class Preparation {
 public:
  explicit Preparation(PolicyObjects& objects, size_t count) : objects_(objects) {
    objects.prepare(std::make_shared<PreparedObjects>(&objects.parses()));
    objects.prepared()->policies.policies(false).reserve(count);
  }

  void add(const InputObject& object) {
    const Decoded& decoded = objects_.decoded(object);
    if (!decoded.error.empty() || decoded.kind == nullptr) return;
    const bool mutating = is_mutating(object), sees = sees_managed_fields(object);
    PreparedObjects& prepared = *objects_.prepared();
    const auto number = static_cast<uint32_t>(prepared.policies.policies(mutating).size());
    prepared.policies.add(decoded.data, mutating);
    prepared.made.emplace(&object, PreparedObjects::Made{{mutating, number}, sees});
  }

 private:
  // As policy_sees_managed_fields(), but looks at each text once.
  bool sees_managed_fields(const InputObject& object) {
    return std::ranges::any_of(expressions_of(object.value), [&](const PlacedExpression& e) {
      if (e.text.empty() || blind_.contains(e.text)) return false;
      if (expression_sees_managed_fields(e.text, objects_.parses())) return true;
      blind_.insert(e.text);
      return false;
    });
  }

  PolicyObjects& objects_;
  std::unordered_set<std::string_view> blind_;  // expressions that do not see them
};

// The number of bindings whose policies are looked for among similar names, of which each looks at all.
constexpr size_t kMostHints = 100;

std::vector<std::string> sorted_names(const std::vector<const InputObject*>& policies, bool mutating) {
  std::set<std::string> out;
  for (const InputObject* p : policies) {
    if (is_mutating(*p) == mutating && !p->name.empty()) out.emplace(p->name);
  }
  return {out.begin(), out.end()};
}

// Where the first object of `list` with the kind and name of `o` is.
std::string where_first(const InputObject& o, std::span<const InputObject* const> list) {
  auto first = std::ranges::find_if(
      list, [&](const InputObject* other) { return other->kind == o.kind && other->name == o.name; });
  const std::string place = place_text((*first)->file->name, (*first)->locate("metadata.name", true));
  return place == place_text(o.file->name, o.locate("metadata.name", true)) ? "this file is given twice"
                                                                            : "the first one is at " + place;
}

// The problems of the validating or mutating policies and their bindings. `preparation`: compiles the policies that
// have bindings; may be null.
void add_policy_problems(const ReviewCluster& cluster, bool mutating, KubernetesVersion version,
                         const ReviewCluster::Told& told, Preparation* preparation,
                         std::vector<PolicyProblem>& out) {
  const std::vector<std::string> names = sorted_names(cluster.policies(), mutating);
  size_t missing_policies = 0;
  for (const auto* list : {&cluster.policies(), &cluster.bindings()}) {
    for (const InputObject* o : *list) {
      if (is_mutating(*o) != mutating) continue;
      ObjectProblems problems(out, *o, version);
      problems.add_all(cluster.objects(), told);
      const bool policy = role_of(*o) == Role::Policy;
      if (policy && preparation != nullptr && cluster.is_bound(*o)) preparation->add(*o);
      if (cluster.is_repeated(*o)) {
        PolicyProblem& repeated = problems.add(Severity::Error, "metadata.name",
                                               "another " + std::string(o->kind) + " has this name");
        repeated.ours = true;
        repeated.hint = where_first(*o, *list);
      }
      std::string_view target = policy ? "" : bound_policy(*o);
      if (target.empty() || cluster.policy_of(*o) != nullptr) continue;
      std::string_view meant = missing_policies++ < kMostHints ? nearest(target, names) : "";
      PolicyProblem& missing =
          problems.add(Severity::Error, "spec.policyName",
                       missing_policy_text(*o, "the given files") +
                           (meant.empty() ? "" : "; did you mean " + quote_json(meant) + "?"));
      missing.of_set = missing.ours = true;
    }
  }
  for (const InputObject* o : cluster.policies()) {
    if (is_mutating(*o) != mutating || cluster.is_bound(*o)) continue;
    PolicyProblem& unbound =
        ObjectProblems(out, *o, version).add(Severity::Warning, "metadata.name", std::string(kUnboundPolicy));
    unbound.of_set = unbound.ours = true;
  }
}

// Calls `tell` with the position, text and hint of each message.
template <class Tell>
void each_message(const PolicyProblem& problem, Tell tell) {
  if (problem.findings.empty()) tell(problem.position, problem.text, problem.hint);
  for (const PolicyProblem::Finding& f : problem.findings)
    tell(f.position, problem.path + ": " + f.text, f.hint);
}

}  // namespace

void say_problem(const PolicyProblem& problem, Severity severity) {
  const SourceFile& file = *problem.object->file;
  each_message(problem, [&](Position position, const std::string& text, const std::string& hint) {
    say(severity, file.name, position, text, file.text, hint);
  });
}

std::string problem_text(const PolicyProblem& problem, const Paint& paint) {
  const SourceFile& file = *problem.object->file;
  std::string out;
  each_message(problem, [&](Position position, const std::string& text, const std::string& hint) {
    out += message_text(problem.severity, file.name, position, text, file.text, paint, hint);
  });
  return out;
}

std::vector<PolicyProblem> ReviewCluster::problems(KubernetesVersion version, bool reviewing,
                                                   const Told& told) const {
  std::vector<PolicyProblem> out;
  std::optional<Preparation> preparation;
  if (reviewing) preparation.emplace(*objects_, policies().size());
  for (bool mutating : {false, true})
    add_policy_problems(*this, mutating, version, told, preparation ? &*preparation : nullptr, out);
  for (const InputObject* u : configurations()) {
    ObjectProblems problems(out, *u, version);
    problems.add_all(*objects_, told);
    if (!reviewing || asks_webhooks) continue;
    problems.add(Severity::Warning, "kind",
                 "webhooks are not called, and the verdict does not include theirs");
  }
  add_kind_problems(*this, out);
  for (const InputObject* o : undefining_) {
    if (!reviewing) break;  // `check` reports definitions themselves
    ObjectProblems(out, *o, version)
        .add(Severity::Error, "spec",
             "this CustomResourceDefinition lacks its group, scope or names, and defines nothing");
  }
  for (const auto* list : {&held_, &former_, &reviewed_}) {
    // As a manifest beside the policies it is refused by itself, as any object of an unknown kind.
    if (list == &reviewed_ && apart_) continue;
    for (const InputObject* o : *list) {
      if (is_astray(*o)) ObjectProblems(out, *o, version).add(Severity::Error, "apiVersion", astray_text(*o));
    }
  }
  return out;
}

}  // namespace portcullis
