// See cluster.h.
#include "cli/cluster/cluster.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "admission/builtin/normalize.h"
#include "admission/builtin/system_metadata.h"
#include "admission/builtin/time.h"
#include "admission/engine/objects_to_load.h"
#include "admission/engine/prepared.h"
#include "admission/engine/request_values.h"
#include "admission/expressions/expression_places.h"
#include "admission/expressions/managed_fields_use.h"
#include "admission/expressions/variable_fields.h"
#include "admission/policies/validation.h"
#include "admission/scalars/spelling.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/kind_problems.h"
#include "cli/functions/function_hints.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reading/unquoted.h"
#include "interpreter/formats/text.h"
#include "manifests/namespaces.h"
#include "manifests/place.h"

namespace portcullis {

// Policies that are compiled for loading already, and what became of each object.
struct PreparedObjects {
  struct Made {
    PreparedPlace place;
    bool sees_managed_fields;
  };
  explicit PreparedObjects(SharedParses* parses) : policies(kStoredExpressions, parses) {}

  PreparedPolicies policies;
  std::unordered_map<const InputObject*, Made> made;
};

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
    const Value* variables = find_path(object_.value, "spec.variables");
    if (variables != nullptr && variables->is(Kind::List)) {
      for (const Value& v : variables->as_list()) fields.add(text_member(v, "name"), nullptr);
    }
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
    const Value* variables = find_path(object_.value, "spec.variables");
    if (variables != nullptr && variables->is(Kind::List)) {
      for (const Value& v : variables->as_list()) names.emplace_back(text_member(v, "name"));
    }
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

// The problems of the validating or mutating policies and their bindings. `preparation`: compiles the policies that have
// bindings; may be null.
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

// A binding that denies, for a validating policy without a binding.
Value make_binding(std::string_view policy, Arena& arena) {
  Value* actions = arena.array<Value>(1);
  actions[0] = Value::string("Deny");
  Value spec = with_member({}, "policyName", Value::string(policy), arena);
  spec = with_member(spec, "validationActions", Value::list(actions, 1), arena);
  Value binding = with_member({}, "apiVersion", Value::string("admissionregistration.k8s.io/v1"), arena);
  binding = with_member(binding, "kind", Value::string("ValidatingAdmissionPolicyBinding"), arena);
  binding = with_member(binding, "metadata", with_member({}, "name", Value::string(policy), arena), arena);
  return with_member(binding, "spec", spec, arena);
}

}  // namespace

bool decodes(const InputObject& o, bool typed) {
  Arena scratch;
  return !typed || !builtin::is_builtin(o.value) || builtin::param_object(scratch, o.value).error.empty();
}

void ReviewCluster::add(const std::vector<InputObject>& objects, bool policies, Use use) {
  for (const InputObject& object : objects) {
    switch (role_of(object)) {
      case Role::Policy:
      case Role::Binding:
      case Role::Configuration:
        if (use == Use::Former) break;
        if (policies)
          GivenPolicies::add(object);
        else if (use == Use::Reviewed && !is_request(object))
          unreviewed_.push_back(&object);
        else if (use == Use::Other || asks_webhooks)
          unused_.push_back(&object);
        break;
      case Role::Namespace:
        if (use == Use::Other || decodes(object, true)) {
          Given& given = namespaces_[object.name];
          if (given.use <= use) given = {&object, use};
        }
        [[fallthrough]];
      case Role::Definition:
      case Role::Other:
        others_.push_back(&object);
        (use == Use::Other ? held_ : use == Use::Former ? former_ : reviewed_).push_back(&object);
        rbac_.add(object, use);
        break;
      case Role::Review: break;
    }
    if (role_of(object) == Role::Definition) add_definition(object, use);
  }
}

void ReviewCluster::add_definition(const InputObject& object, Use use) {
  const auto not_used = [&](std::string_view path, std::string_view why) {
    say(Severity::Warning, object.file->name, object.locate(path),
        "this CustomResourceDefinition " + std::string(why) + " and is not used", object.file->text);
  };
  if (!defines_kind(object.value)) {
    if (use != Use::Reviewed) return undefining_.push_back(&object);
    return not_used("", "has no group, names or scope");
  }
  const DefinedResource resource = DefinedResource::of(object.value);
  if (use != Use::Other && object.name != resource.name())
    return not_used("metadata.name", "is not named " + resource.name() + ", which the API server refuses,");
  const auto [known, fresh] = counting_.try_emplace(resource, Counting{definitions_.size(), use});
  Counting& before = known->second;
  if (fresh) {
    definitions_.push_back(&object);
  } else {
    // The uses in their order, but a former state counts least.
    const auto rank = [](Use u) { return u == Use::Former ? -1 : static_cast<int>(u); };
    if (rank(before.use) > rank(use)) return;
    const Value &old_spec = *find_member(definitions_[before.number]->value, "spec"),
                &spec = *find_member(object.value, "spec");
    if (before.use == Use::Former && use == Use::Reviewed &&
        (text_member(old_spec, "scope") != text_member(spec, "scope") ||
         text_member(*find_member(old_spec, "names"), "kind") !=
             text_member(*find_member(spec, "names"), "kind"))) {
      return not_used("spec", "changes the scope or kind of its former state, which the API server refuses,");
    }
    before.use = use;
    definitions_[before.number] = &object;
  }
  resources_.add_definition(object.value);
}

namespace {

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

bool ReviewCluster::has_namespace(std::string_view name) const { return namespaces_.contains(name); }

std::vector<NotEvaluated> ReviewCluster::not_evaluated() const {
  std::vector<NotEvaluated> out;
  for (const InputObject* o : configurations()) {
    if (!asks_webhooks) out.push_back({o, "webhooks are not called"});
  }
  for (const InputObject* o : unreviewed_)
    out.push_back({o, "policies are given with -p, and no policy sees them"});
  for (const InputObject* o : unused_) out.push_back({o, "policies and webhooks are given with -p"});
  return out;
}

void ReviewCluster::drop(const std::vector<PolicyProblem>& problems) {
  std::unordered_set<const InputObject*> bad;
  for (const PolicyProblem& p : problems) {
    if (p.severity == Severity::Error) bad.insert(p.object);
  }
  std::ranges::copy_if(policies(), std::back_inserter(dropped_), [&](auto* o) { return bad.contains(o); });
  remove(bad);
}

bool ReviewCluster::sees_managed_fields() const {
  const PreparedObjects* prepared = objects_->prepared().get();
  auto sees = [&](const InputObject* o) {
    if (prepared != nullptr) {
      if (auto made = prepared->made.find(o); made != prepared->made.end())
        return made->second.sees_managed_fields;
    }
    return policy_sees_managed_fields(o->value, objects_->parses());
  };
  return std::ranges::any_of(policies(), sees) || std::ranges::any_of(configurations(), sees);
}

// The policies, bindings and webhooks. `prepared`: policies that are made already; may be null.
void ReviewCluster::add_rules(PreparedObjects* prepared, bool bind_all, Arena& arena,
                              ObjectsToLoad& out) const {
  if (prepared != nullptr) out.prepared = &prepared->policies;
  out.policies.reserve(policies().size());
  out.bindings.reserve(bindings().size());
  for (const InputObject* b : bindings()) out.bindings.emplace_back(b->value);
  for (const InputObject* p : policies()) {
    if (bind_all && !is_mutating(*p) && !is_bound(*p))
      out.bindings.emplace_back(make_binding(p->name, arena));
    if (prepared != nullptr) {
      if (auto made = prepared->made.find(p); made != prepared->made.end()) {
        out.policies.emplace_back(made->second.place);
        continue;
      }
    }
    out.policies.emplace_back(p->value);
  }
  for (const InputObject* c : configurations()) out.configurations.emplace_back(c->value);
}

// The objects whose kind is one of `kinds`.
void ReviewCluster::add_params(const std::vector<ParamKindInfo>& kinds, Arena& arena,
                               ObjectsToLoad& out) const {
  std::unordered_set<std::string> there;
  for (const ParamKindInfo& k : kinds) there.insert(kind_key(k.api_version, k.kind));
  const std::string_view now = builtin::time_now(arena);
  auto add = [&](const std::vector<const InputObject*>& list) {
    for (const InputObject* o : list) {
      bool param = is_param_kind(*o) && there.contains(kind_key(o->api_version, o->kind));
      if (!param || !decodes(*o, typed_params)) continue;
      std::optional<CustomOutcome> stored;
      if (typed_params && definitions != nullptr) stored = definitions->stored(*o, arena);
      if (!stored || !stored->refused())
        out.params.push_back(to_json(stored         ? stored->object
                                     : typed_params ? builtin::held_by_informer(arena, o->value, now)
                                                    : o->value));
    }
  };
  add(reviewed_);  // the later ones count
  out.params_under_review = out.params.size();
  add(former_);
  add(held_);
}

void ReviewCluster::add_namespaces(const std::unordered_set<std::string_view>& wanted, Arena& arena,
                                   std::vector<std::string_view>& assumed, ObjectsToLoad& out) const {
  auto add = [&](const Value& space, std::string_view name) {
    out.namespaces.push_back(namespace_labels.put_on(space, name, arena));
  };
  for (const auto& [name, given] : namespaces_) add(complete_namespace(*given.object, arena), name);
  for (std::string_view name : wanted) {
    if (has_namespace(name)) continue;
    if (namespace_labels.has(name)) {
      add(named_namespace(name, arena), name);
    } else {
      assumed.push_back(name);
    }
  }
  std::sort(assumed.begin(), assumed.end());
  for (std::string_view name : assumed) out.namespaces.push_back(named_namespace(name, arena));
}

Result<std::shared_ptr<const Engine>> ReviewCluster::load(const std::unordered_set<std::string_view>& wanted,
                                                          Arena& arena,
                                                          std::vector<std::string_view>& assumed,
                                                          const std::vector<ParamKindInfo>& custom_params,
                                                          bool bind_all) const {
  Cluster cluster;
  cluster.closed_param_kinds = true;
  cluster.param_kinds = resources_.kinds();
  cluster.param_kinds.insert(cluster.param_kinds.end(), custom_params.begin(), custom_params.end());
  if (definitions != nullptr) cluster.definitions = definitions->all();
  cluster.equivalents = resources_.equivalents();
  cluster.typed_params = typed_params;
  cluster.assume_namespaces = assume_namespaces;
  ObjectsToLoad objects{.parses = &objects_->parses()};
  if (libraries) objects.expressions = {.stored = false, .version = *libraries};
  const std::shared_ptr<PreparedObjects> prepared = libraries ? nullptr : objects_->prepared();
  objects_->prepare(nullptr);  // this engine takes them
  add_rules(prepared.get(), bind_all, arena, objects);
  if (prepared != nullptr) prepared->made = {};  // before loading takes the most memory
  add_params(cluster.param_kinds, arena, objects);
  add_namespaces(wanted, arena, assumed, objects);
  return Engine::load(objects, cluster);
}

}  // namespace portcullis
