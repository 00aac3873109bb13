// Engine::load, Engine::exchange and Engine::change: see cluster.h and portcullis/admission.h.
#include "library/cluster.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>

#include "admission/builtin/normalize.h"
#include "admission/builtin/registration.h"
#include "admission/builtin/time.h"
#include "admission/engine/loaded.h"
#include "admission/engine/objects_to_load.h"
#include "admission/expressions/managed_fields_use.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/names.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"
#include "library/problems.h"
#include "manifests/kind_words.h"
#include "manifests/missing_params.h"
#include "manifests/namespaces.h"
#include "manifests/other_engines.h"
#include "manifests/resources.h"
#include "manifests/status.h"
#include "manifests/undefined_params.h"

namespace portcullis {
namespace {

using Severity = v1::Problem::Severity;

constexpr std::string_view kParamScopes = "LoadOptions::param_scopes";

bool is_a(const InputObject& o, Role role) { return role_of(o) == role; }
bool is_policy(const InputObject& o) { return is_a(o, Role::Policy); }
bool is_binding(const InputObject& o) { return is_a(o, Role::Binding); }
bool is_configuration(const InputObject& o) { return is_a(o, Role::Configuration); }
bool is_definition(const InputObject& o) { return is_a(o, Role::Definition); }

// Reports why a server would refuse a param by its definition.
void add_refused(const InputObject& o, std::string_view path, std::string_view why, Problems& out) {
  out.push_back(problem_of(o, Severity::Error, path, "the API server refuses it: " + std::string(why)));
}

std::array<std::string, 4> key_of(std::string_view api_version, std::string_view kind, std::string_view space,
                                  std::string_view name) {
  return {std::string(split_api_version(api_version).group), std::string(kind), std::string(space),
          std::string(name)};
}

// Reads params, namespaces and the objects of the Surrounding.
class SurroundingReader {
 public:
  SurroundingReader(const Rules& rules, Problems& problems) : rules_(rules), problems_(problems) {}

  // Adds the params and namespaces to `cluster`, and the others to `out`. `objects` are settled. What `cluster` gets
  // lives as long as they and the reader.
  void read(std::span<const InputObject> objects, Cluster& cluster, SurroundingObjects& out) {
    for (const InputObject& o : objects) {
      const bool is_rbac = RbacAuthorizer::is_rbac(o.value), space = is_a(o, Role::Namespace),
                 param = rules_.param_kinds.contains(kind_key(o.api_version, o.kind));
      if (is_rbac)
        add_rbac(o, out);
      else if (builtin::Surroundings::reads(o.value))
        add_object(o, o.value, out);
      const bool other = is_a(o, Role::Other) && !is_rbac;
      if ((!space && !param && !other) || !exists(o, param) || !decodes(o)) continue;
      if (space) cluster.namespaces.push_back(complete_namespace(o, arena_));
      const size_t before = cluster.params.size();
      if (param) add_param(o, cluster);
      if (space || cluster.params.size() > before) say_if_it_replaces_another(o);
    }
    cluster.typed_params = true;
  }

 private:
  // Whether a server can have the object; reports the error if not. What none has is left out. `known`: the cluster
  // says so.
  bool exists(const InputObject& o, bool known) {
    if (is_astray(o)) return add(o, "apiVersion", astray_text(o)), false;
    const Resource r = rules_.resources.find(o.api_version, o.kind);
    if (known || r.exists()) return true;
    add(o, r.availability == Availability::Gone ? "apiVersion" : "kind", no_match(r));
    return false;
  }

  // Whether an object of a built-in kind decodes; reports the error if not. What does not is left out.
  bool decodes(const InputObject& o) {
    if (!builtin::is_builtin(o.value)) return true;
    Arena scratch;
    builtin::Normalized held = builtin::param_object(scratch, o.value);
    if (held.error.empty()) return true;
    const Resource r = rules_.resources.find(o.api_version, o.kind);
    add(o, held.error_path, cannot_be_handled({r.group, r.version, r.kind}, held.error));
    return false;
  }

  void add(const InputObject& o, std::string_view path, std::string text) {
    problems_.push_back(problem_of(o, Severity::Error, path, std::move(text)));
  }

  // Of objects with one name the last one counts, as in a cluster to which they are applied in order.
  void say_if_it_replaces_another(const InputObject& o) {
    if (o.name.empty() || names_.insert({o.api_version, o.kind, o.namespace_name, o.name}).second) return;
    problems_.push_back(
        problem_of(o, Severity::Warning, "metadata.name",
                   "another " + std::string(o.kind) + " has this name" +
                       (o.namespace_name.empty() ? "" : " in namespace " + std::string(o.namespace_name)) +
                       ", and this one replaces it"));
  }

  // Whether a server has read the object from its storage. It has dropped and filled in what its definition says,
  // which may be newer than ours.
  bool comes_from_server(const InputObject& o) const {
    const Value* metadata = find_member(o.value, "metadata");
    return rules_.options.keep_invalid && metadata != nullptr &&
           !text_member(*metadata, "resourceVersion").empty();
  }

  void add_param(const InputObject& o, Cluster& cluster) {
    std::optional<DefinedOutcome> stored;
    if (!comes_from_server(o)) stored = rules_.definitions.stored(o, arena_);
    if (!stored)
      return cluster.params.push_back(builtin::held_by_informer(arena_, o.value, builtin::time_now(arena_)));
    if (stored->decode_error.empty() && stored->errors.empty())
      return cluster.params.push_back(stored->object);
    if (!stored->decode_error.empty()) add_refused(o, {}, stored->decode_error, problems_);
    for (const FieldError& e : stored->errors) add_refused(o, e.field, e.message, problems_);
    // A server keeps what an older definition allowed.
    if (stored->decode_error.empty() && rules_.options.keep_invalid) cluster.params.push_back(stored->object);
  }

  void add_rbac(const InputObject& o, SurroundingObjects& out) {
    Value stored;
    const std::vector<FieldError> refusals = decode_rbac(o, arena_, stored);
    for (const FieldError& e : refusals)
      problems_.push_back(problem_of(o, Severity::Warning, e.field, e.message));
    if (refusals.empty()) add_object(o, stored, out);
  }

  static void add_object(const InputObject& o, const Value& value, SurroundingObjects& out) {
    const std::string json = to_json(value);
    auto made = std::make_shared<SurroundingObject>(json.size());
    Result<Value> kept = read_json(json, made->arena);
    if (!kept.ok()) return;  // JSON that was written here can be read
    made->value = *kept;
    made->name_space = o.namespace_name;
    out[key_of(o.api_version, o.kind, o.namespace_name, o.name)] = std::move(made);
  }

  const Rules& rules_;
  Problems& problems_;
  Arena arena_;
  std::set<std::array<std::string_view, 4>>
      names_;  // of params and namespaces: apiVersion, kind, namespace, name
};

class RulesReader {
 public:
  // What is parsed lives in `parses`.
  RulesReader(Rules& rules, SharedParses& parses, Problems& problems)
      : rules_(rules), parses_(parses), problems_(problems) {}

  // Fills in the kinds of `cluster`, and the policies and bindings of `objects`.
  void read(Cluster& cluster, ObjectsToLoad& objects) {
    take_definitions();
    if (rules_.options.param_kinds) {
      take_param_kinds(*rules_.options.param_kinds, cluster);
    } else {
      find_param_kinds(cluster);
    }
    settle(rules_.objects, rules_.resources, rules_.options.namespace_name, rules_.arena);
    take_options();
    take_policies(objects);
    say_what_decides_nothing();
    if (rules_.options.all_given) say_what_is_missing();
    cluster.closed_param_kinds = true;
    if (!rules_.options.param_kinds) {
      for (ParamKindInfo& k : rules_.resources.kinds()) cluster.param_kinds.push_back(std::move(k));
    }
    cluster.equivalents = rules_.resources.equivalents();
    cluster.definitions = rules_.definitions.shared();
    cluster.assume_namespaces = rules_.options.assume_namespaces;
  }

 private:
  void take_definitions() {
    for (const InputObject& o : rules_.objects) {
      policies_.add(o);
      if (!is_definition(o)) continue;
      if (rules_.resources.add_definition(o.value))
        say_if_it_replaces_another(o);
      else
        add(o, Severity::Error, "spec", "this CustomResourceDefinition lacks its group, scope or names");
      rules_.definitions.add(o);
    }
    for (const GivenDefinition& given : rules_.definitions.all()) check(given, problems_);
  }

  // The version of Kubernetes and the namespace of objects without one.
  void take_options() {
    const uint32_t minor = rules_.options.kubernetes_minor;
    version_ = minor == 0 ? KubernetesVersion{} : KubernetesVersion{1, minor};
    if (version_.minor < KubernetesVersion::kFirst || version_.minor > KubernetesVersion::kLast) {
      add_option("kubernetes_minor is " + std::to_string(minor) + ": want 0, or " +
                 std::to_string(KubernetesVersion::kFirst) + " to " +
                 std::to_string(KubernetesVersion::kLast));
      version_ = {};
    }
    const std::string& space = rules_.options.namespace_name;
    for (const std::string& why : names::dns1123_label(space))
      add_option("namespace_name is " + quote_json(space) + ": " + why);
  }

  // The policies, bindings and configurations, and what somebody of them sees.
  void take_policies(ObjectsToLoad& objects) {
    for (const InputObject* o : policies_.policies()) {
      add_object(*o, objects.policies);
      rules_.sees_namespaces |= sees_namespaces(o->value);
      rules_.sees_managed_fields |= policy_sees_managed_fields(o->value, parses_);
    }
    for (const InputObject* o : policies_.bindings()) {
      add_object(*o, objects.bindings);
      rules_.sees_namespaces |= sees_namespaces(o->value);
    }
    const bool webhooks = rules_.options.webhooks;
    for (const InputObject* o : policies_.configurations()) {
      if (webhooks) add_object(*o, objects.configurations);
      rules_.webhooks_see_namespaces |= sees_namespaces(o->value);
      rules_.sees_managed_fields |= webhooks && policy_sees_managed_fields(o->value, parses_);
    }
  }

  void add(const InputObject& o, Severity severity, std::string_view path, std::string text) {
    problems_.push_back(problem_of(o, severity, path, std::move(text)));
  }

  // Of the definitions of a resource the last one counts.
  void say_if_it_replaces_another(const InputObject& definition) {
    const InputObject*& counts = defined_[DefinedResource::of(definition.value)];
    if (counts != nullptr &&
        !same_data(*find_member(counts->value, "spec"), *find_member(definition.value, "spec"))) {
      add(definition, Severity::Warning, "metadata.name",
          "another CustomResourceDefinition of this resource has another spec, and this one replaces it");
    }
    counts = &definition;
  }

  void add_option(std::string_view text) {
    problems_.emplace_back().text = "LoadOptions::" + std::string(text);
  }

  void add_object(const InputObject& o, std::vector<ClusterObject>& list) {
    decoded_.reset();
    if (!check(o, decode_object(decoded_, o.value), version_, parses_, valid_, problems_)) return;
    list.emplace_back(o.value);
    if (policies_.is_repeated(o))
      add(o, Severity::Error, "metadata.name", "another " + std::string(o.kind) + " has this name");
  }

  // Takes the kinds of params that exist.
  void take_param_kinds(const std::vector<v1::LoadOptions::ParamKind>& kinds, Cluster& cluster) {
    for (const v1::LoadOptions::ParamKind& k : kinds) {
      if (!rules_.param_kinds.insert(kind_key(k.api_version, k.kind)).second) continue;
      const auto [group, version, well_formed] = split_api_version(k.api_version);
      if (rules_.resources.find(k.api_version, k.kind).availability == Availability::Guessed)
        rules_.resources.set_scope(group, k.kind, k.namespaced);
      cluster.param_kinds.push_back({k.api_version, k.kind, k.namespaced});
    }
  }

  // Finds the kinds of params. An undefined kind is assumed to exist, and its scope must be found.
  void find_param_kinds(Cluster& cluster) {
    std::vector<InputObject>* const objects[] = {&rules_.objects};
    std::vector<UndefinedKind> undefined = undefined_param_kinds(policies_, objects, rules_.resources);
    for (const v1::LoadOptions::Scope& s : rules_.options.param_scopes | std::views::reverse) {
      if (UndefinedKind* k = find_undefined(undefined, s.group, s.kind)) k->given = s.namespaced;
    }
    const bool fails = rules_.options.fail_unknown_scopes;
    std::set<std::string> unknown;
    for (const UndefinedKind& k : undefined) {
      const bool doubtful = !k.given && !k.namespaced && !k.referenced.empty();
      const bool namespaced = k.given.value_or(true);
      rules_.resources.set_scope(k.group, k.kind, namespaced);
      for (const std::string& v : k.api_versions) {
        if (doubtful && fails)
          unknown.insert(kind_key(v, k.kind));
        else
          cluster.param_kinds.push_back({v, k.kind, namespaced});
      }
      if (!doubtful) continue;
      for (const InputObject* policy : k.policies) {
        if (std::ranges::count(k.referenced, policy) == 0) continue;
        add(*policy, fails ? Severity::Warning : Severity::Error, "spec.paramKind",
            "it is unknown whether " + kind_name(rules_.resources.find(k.api_versions[0], k.kind)) +
                " is namespaced" + (fails ? ", so the policy fails when a request meets it" : "") +
                ": give its CustomResourceDefinition or " + std::string(kParamScopes));
        problems_.back().option = kParamScopes;
      }
    }
    for (const InputObject* policy : policies_.policies()) {
      const Value* kind = param_kind(*policy);
      if (kind == nullptr || unknown.contains(kind_key(*kind))) continue;
      if (rules_.resources.find(text_member(*kind, "apiVersion"), text_member(*kind, "kind")).exists())
        rules_.param_kinds.insert(kind_key(*kind));
    }
  }

  void say_what_decides_nothing() {
    for (const InputObject& o : rules_.objects) {
      if (is_configuration(o) && !rules_.options.webhooks)
        add(o, Severity::Warning, "kind",
            std::string(o.kind) + " is not called: what it would say is in no decision");
      if (is_binding(o) && !bound_policy(o).empty() && policies_.policy_of(o) == nullptr)
        add(o, Severity::Warning, "spec.policyName", missing_policy_text(o, "the manifests"));
    }
    for (const InputObject* o : policies_.policies()) {
      if (!policies_.is_bound(*o)) add(*o, Severity::Warning, "metadata.name", std::string(kUnboundPolicy));
    }
    if (const auto others = other_engines(rules_.objects, policies_))
      add(*others->first, Severity::Warning, "kind", others->text + "; " + others->hint);
  }

  // What is looked for in vain, where nobody will add it.
  void say_what_is_missing() {
    std::vector<const InputObject*> all;
    bool has_roles = false;
    for (const InputObject& o : rules_.objects) {
      all.push_back(&o);
      has_roles |= RbacAuthorizer::is_rbac(o.value);
    }
    for (const MissingParams& m : missing_params(policies_, all, rules_.resources, "is given"))
      add(*m.binding, Severity::Warning, "spec.paramRef", m.text);
    if (has_roles) return;
    for (const InputObject* o : policies_.policies()) {
      const std::string use = authorizer_use(o->value);
      if (use.empty() || !policies_.is_bound(*o)) continue;
      return add(
          *o, Severity::Warning, use,
          std::string("the authorizer is asked, and no RBAC object is given: it answers from ") +
              (rules_.options.default_roles ? "the roles and bindings that every cluster has" : "no role") +
              "; members of system:masters may do everything");
    }
  }

  Rules& rules_;
  Arena decoded_;  // of the present object
  SharedParses& parses_;
  ValidExpressions valid_;
  Problems& problems_;
  KubernetesVersion version_;
  GivenPolicies policies_;
  std::map<DefinedResource, const InputObject*> defined_;
};

bool has_error(const Problems& problems) {
  return std::ranges::any_of(problems, [](const v1::Problem& p) { return p.severity == Severity::Error; });
}

// The engine, or the problem that prevents it.
v1::LoadResult finish(std::shared_ptr<const Rules> rules, std::shared_ptr<const Surrounding> surrounding,
                      Result<std::shared_ptr<const Engine>> engine, Problems problems) {
  if (!engine.ok()) {
    v1::Problem& p = problems.emplace_back();
    p.text = engine.error().text;
    return {nullptr, std::move(problems)};
  }
  auto state = std::make_shared<v1::Engine::State>();
  state->rules = std::move(rules);
  state->surrounding = std::move(surrounding);
  state->engine = *engine;
  return {std::make_shared<const v1::Engine>(std::move(state)), std::move(problems)};
}

auto names_of(const Served& s) { return std::tuple(s.resource, s.subresource, s.group, s.version); }

}  // namespace

Surrounding::Surrounding(const v1::LoadOptions& options, SurroundingObjects given)
    : objects(std::move(given)),
      rbac(options.default_roles ? RbacAuthorizer::Start::Defaults : RbacAuthorizer::Start::Empty,
           options.roles_as_stored) {
  std::vector<Value> roles;
  for (const auto& [key, object] : objects) {
    if (RbacAuthorizer::is_rbac(object->value))
      roles.push_back(object->value);
    else
      around.add(arena, object->value, object->name_space);
  }
  rbac.add(roles);
}

void Rules::find_what_is_served() {
  served = resources.served();
  std::ranges::sort(served, {}, names_of);
}

const Served* Rules::find_served(const GroupVersionResource& resource, std::string_view subresource) const {
  const std::tuple names(resource.resource, subresource, resource.group, resource.version);
  const auto at = std::ranges::lower_bound(served, names, {}, names_of);
  return at != served.end() && names_of(*at) == names ? &*at : nullptr;
}

}  // namespace portcullis

namespace portcullis::v1 {

Engine::Engine(std::shared_ptr<const State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;
size_t Engine::policy_count() const { return state_->engine->policy_count(); }
size_t Engine::binding_count() const { return state_->engine->binding_count(); }
bool Engine::has_namespace(std::string_view name) const {
  return state_->engine->loaded().namespaces.find({{}, name}) != nullptr;
}
bool Engine::has_mutations() const { return state_->engine->has_mutations(); }
size_t Engine::webhook_count() const {
  const portcullis::Engine::Loaded& loaded = state_->engine->loaded();
  return loaded.mutating_webhooks.size() + loaded.validating_webhooks.size();
}

LoadResult Engine::load(const Manifests& manifests, const LoadOptions& options) {
  Problems problems = manifests.state()->problems;
  auto rules = std::make_shared<Rules>();
  rules->options = options;
  rules->source = manifests.state();
  rules->objects = rules->source->objects;
  Cluster cluster;
  SharedParses parses;
  ObjectsToLoad objects{.parses = &parses};
  RulesReader(*rules, parses, problems).read(cluster, objects);
  rules->find_what_is_served();
  SurroundingObjects around;
  SurroundingReader reader(*rules, problems);
  reader.read(rules->objects, cluster, around);
  if (has_error(problems) && !options.keep_invalid) return {nullptr, std::move(problems)};
  for (const auto& param : cluster.params) objects.params.push_back(portcullis::to_json(param));
  objects.namespaces = cluster.namespaces;
  auto engine = portcullis::Engine::load(objects, cluster);
  return finish(std::move(rules), std::make_shared<const Surrounding>(options, std::move(around)),
                std::move(engine), std::move(problems));
}

namespace {

// What is exchanged: the settled objects of `data`, and what they are.
struct Data {
  Data(const Rules& rules, const Manifests& data)
      : problems(data.state()->problems), objects(data.state()->objects), reader(rules, problems) {
    settle(objects, rules.resources, rules.options.namespace_name, arena);
    for (const InputObject& o : objects) {
      if (is_policy(o) || is_binding(o) || is_configuration(o) || is_definition(o))
        problems.push_back(
            problem_of(o, Problem::Severity::Error, "kind",
                       "a " + std::string(o.kind) + " cannot be exchanged: it has to be loaded"));
    }
    reader.read(objects, cluster, around);
    fails = has_error(problems) && !rules.options.keep_invalid;
  }

  Problems problems;
  std::vector<InputObject> objects;
  Cluster cluster;  // the params and namespaces
  SurroundingObjects around;
  bool fails = false;

 private:
  Arena arena;
  SurroundingReader reader;
};

}  // namespace

LoadResult Engine::exchange(const Manifests& data) const {
  Data read(*state_->rules, data);
  if (read.fails) return {nullptr, std::move(read.problems)};
  return finish(state_->rules,
                std::make_shared<const Surrounding>(state_->rules->options, std::move(read.around)),
                state_->engine->exchange(read.cluster), std::move(read.problems));
}

LoadResult Engine::change(const Manifests& data, std::span<const ObjectName> gone) const {
  Data read(*state_->rules, data);
  if (read.fails) return {nullptr, std::move(read.problems)};
  // What is refused takes the place of what was there, too.
  std::vector<portcullis::ObjectName> replaced;
  for (const ObjectName& o : gone) replaced.push_back({o.api_version, o.kind, o.namespace_name, o.name});
  for (const InputObject& o : read.objects)
    replaced.push_back({o.api_version, o.kind, o.namespace_name, o.name});
  std::shared_ptr<const Surrounding> surrounding = state_->surrounding;
  std::vector<std::array<std::string, 4>> keys;
  for (const auto& o : replaced) keys.push_back(key_of(o.api_version, o.kind, o.name_space, o.name));
  auto known = [&](const auto& key) { return surrounding->objects.contains(key); };
  if (!read.around.empty() || std::ranges::any_of(keys, known)) {
    SurroundingObjects now = surrounding->objects;
    for (const auto& key : keys) now.erase(key);
    now.merge(read.around);
    surrounding = std::make_shared<const Surrounding>(state_->rules->options, std::move(now));
  }
  return finish(state_->rules, std::move(surrounding), state_->engine->change(read.cluster, replaced),
                std::move(read.problems));
}

}  // namespace portcullis::v1
