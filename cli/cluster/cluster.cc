// See cluster.h.
#include "cli/cluster/cluster.h"

#include <algorithm>
#include <unordered_map>

#include "admission/builtin/normalize.h"
#include "admission/builtin/time.h"
#include "admission/engine/objects_to_load.h"
#include "admission/engine/request_values.h"
#include "admission/expressions/managed_fields_use.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/prepared_objects.h"
#include "interpreter/values/changed.h"
#include "manifests/namespaces.h"

namespace portcullis {
namespace {

// A binding that denies, for a validating policy without a binding.
Value make_binding(std::string_view policy, Arena& arena) {
  Value* actions = arena.array<Value>(1);
  actions[0] = Value::string("Deny");
  Value spec = with_member(arena, no_members(), "policyName", Value::string(policy));
  spec = with_member(arena, spec, "validationActions", Value::list(actions, 1));
  const std::string_view version = arena.copy(join_api_version(kRegistrationGroup, "v1"));
  Value binding = with_member(arena, no_members(), "apiVersion", Value::string(version));
  binding = with_member(arena, binding, "kind", Value::string("ValidatingAdmissionPolicyBinding"));
  binding = with_member(arena, binding, "metadata",
                        with_member(arena, no_members(), "name", Value::string(policy)));
  return with_member(arena, binding, "spec", spec);
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
    return not_used("metadata.name", "is not named " + resource.name() + ", so the API server refuses it,");
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
      return not_used("spec", "changes the scope or kind of its former state, so the API server refuses it,");
    }
    before.use = use;
    definitions_[before.number] = &object;
  }
  resources_.add_definition(object.value);
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
