// Engine::load: turns policies, bindings and params into a loaded engine; see admission.h and policy.h. An
// error of a policy is stored with it and reported when a request meets it, as the API server does with
// stored policies.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "admission/builtin/normalize.h"
#include "admission/engine/policy.h"
#include "admission/engine/prepared.h"
#include "admission/engine/webhooks.h"
#include "interpreter/values/json.h"
#include "interpreter/values/map.h"

namespace portcullis {
namespace {

// Null if a binding has none.
std::shared_ptr<const ParamReference> load_param_reference(const Data& ref) {
  if (!ref.set) return nullptr;
  auto out = std::make_shared<ParamReference>();
  out->name = ref.field_text("name");
  out->name_space = ref.field_text("namespace");
  out->has_selector = ref["selector"].set;
  if (ref["selector"].set) out->selector = LabelSelector(ref["selector"]);
  out->deny_missing = ref.field_text("parameterNotFoundAction") == "Deny";
  return out;
}

BindingActions load_actions(const Data& actions) {
  BindingActions out;
  out.json = actions.set ? "[" : "null";
  for (const Data& a : actions.items) {
    if (out.json.size() > 1) out.json += ',';
    out.json += quote_json(a.text, JsonEscape::Go);
    if (a.text == "Deny") out.list.push_back(Action::Deny);
    if (a.text == "Warn") out.list.push_back(Action::Warn);
    if (a.text == "Audit") out.list.push_back(Action::Audit);
  }
  if (actions.set) out.json += ']';
  return out;
}

class Loader {
 public:
  Loader(const ObjectsToLoad& objects, const Cluster& options) : objects_(objects), options_(options) {}

  Result<std::unique_ptr<Engine::Loaded>> load() {
    load_param_kinds();
    for (auto step : {&Loader::load_params, &Loader::load_namespaces, &Loader::load_bindings,
                      &Loader::load_policies, &Loader::load_configurations}) {
      if (auto done = (this->*step)(); !done.ok()) return done.error();
    }
    load_equivalents();
    finish();
    find_named_params();
    out_->assume_namespaces = options_.assume_namespaces;
    return std::move(out_);
  }

  // An engine with the compiled policies of `before` and the params and namespaces of these documents.
  Result<std::unique_ptr<Engine::Loaded>> exchange(const Engine::Loaded& before) {
    static_cast<CompiledPolicies&>(*out_) = before;
    std::map<const ParamStore*, const ParamStore*> stores;
    for (const auto& [kind, held] : before.params) {
      ParamStore& made = out_->params[kind];
      made.namespaced = held.namespaced;
      stores[&held] = &made;
    }
    for (auto* list : {&out_->policies, &out_->mutating}) {
      for (LoadedPolicy& p : *list) {
        if (p.params != nullptr) p.params = stores.at(p.params);
      }
    }
    for (auto step : {&Loader::load_params, &Loader::load_namespaces}) {
      if (auto done = (this->*step)(); !done.ok()) return done.error();
    }
    find_named_params();
    out_->assume_namespaces = before.assume_namespaces;
    return std::move(out_);
  }

 private:
  struct BindingOf {
    bool mutating;
    std::string_view policy;  // its name
    PolicyBinding binding;
  };

  void load_param_kinds() {
    for (const ParamKindInfo& k : options_.param_kinds)
      out_->params[kind_text(k.api_version, k.kind)].namespaced = k.namespaced;
  }

  // The store of a kind; null if the cluster does not have the kind.
  ParamStore* store(std::string_view kind) {
    auto found = out_->params.find(kind);
    if (found != out_->params.end()) return &found->second;
    if (options_.closed_param_kinds) return nullptr;
    ParamStore& made = out_->params[std::string(kind)];
    made.namespaced = !options_.params_cluster_scoped;
    return &made;
  }

  Result<void> load_params() {
    for (size_t i = 0; i < objects_.params.size(); i++) {
      auto value = read_json(objects_.params[i], out_->arena);
      if (!value.ok()) return Error{fmt::format("params[{}]: {}", i, value.error().text)};
      if (!value->is(Kind::Map)) return Error{fmt::format("params[{}] is not an object", i)};
      std::string text = kind_text(text_at(*value, "apiVersion"), text_at(*value, "kind"));
      ParamStore* s = store(text);
      if (s == nullptr) return Error{fmt::format("params[{}]: paramKinds does not list {}", i, text)};
      if (options_.typed_params && builtin::is_builtin(*value)) {
        builtin::Normalized held = builtin::param_object(out_->arena, *value);
        if (!held.error.empty()) return Error{fmt::format("params[{}]: {}", i, held.error)};
        Value in_mutations = builtin::informer_object(out_->arena, *value).object;
        add_param(*s, held.object, in_mutations, i);
        continue;
      }
      add_param(*s, *value, *value, i);
    }
    for (auto& [kind, held] : out_->params) {
      sort_params(held.params);
      held.make_table();
    }
    return {};
  }
  // `number`: of the param among those to load.
  void add_param(ParamStore& store, const Value& value, const Value& in_mutations, size_t number) {
    Param p;
    p.under_review = number < objects_.params_under_review;
    p.name = metadata_text(value, "name");
    if (store.namespaced) p.name_space = metadata_text(value, "namespace");
    p.value = store.namespaced ? value : without_namespace(value);
    p.in_mutations = store.namespaced ? in_mutations : without_namespace(in_mutations);
    p.key = p.name_space.empty() ? p.name : p.name_space + "/" + p.name;
    p.labels = labels_of(value);
    store.params.push_back(std::move(p));
  }
  // Sorts params by key; of several with one key, the last one stays.
  static void sort_params(std::vector<Param>& params) {
    std::stable_sort(params.begin(), params.end(),
                     [](const Param& a, const Param& b) { return a.key < b.key; });
    size_t kept = 0;
    for (size_t i = 0; i < params.size(); i++) {
      if (kept > 0 && params[kept - 1].key == params[i].key) kept--;
      if (kept != i) params[kept] = std::move(params[i]);
      kept++;
    }
    params.resize(kept);
  }
  // A copy of the object without metadata.namespace, with its marks.
  Value without_namespace(const Value& object) {
    const Value* m = find_key(object, Value::string("metadata"));
    if (m == nullptr || !m->is(Kind::Map) || find_key(*m, Value::string("namespace")) == nullptr)
      return object;
    auto old = object.as_map();
    MapEntry* entries = alloc_entries(out_->arena, old.size());
    for (size_t i = 0; i < old.size(); i++) {
      entries[i] = old[i];
      if (old[i].key.as_text() != "metadata" || !old[i].value.is(Kind::Map)) continue;
      auto meta = old[i].value.as_map();
      MapEntry* kept = alloc_entries(out_->arena, meta.size());
      size_t n = 0;
      for (const MapEntry& e : meta) {
        if (e.key.as_text() != "namespace") kept[n++] = e;
      }
      entries[i].value = make_map(out_->arena, kept, n).with_flags(marks(old[i].value));
    }
    return make_map(out_->arena, entries, old.size()).with_flags(marks(object));
  }
  static uint8_t marks(const Value& map) { return map.flags() & (kGoMap | kGoStruct); }
  static std::string_view text_at(const Value& object, std::string_view field) {
    const Value* found = find_key(object, Value::string(field));
    return found != nullptr && found->is(Kind::String) ? found->as_text() : std::string_view();
  }

  // Finds the params that do not depend on the request; find_params() reports what is wrong with the other references.
  void find_named_params() {
    for (auto* list : {&out_->policies, &out_->mutating}) {
      for (LoadedPolicy& p : *list) {
        for (PolicyBinding& b : p.bindings) {
          b.named = nullptr;
          if (p.params == nullptr || b.param == nullptr || b.param->name.empty() || b.param->has_selector)
            continue;
          if (p.params->namespaced == b.param->name_space.empty()) continue;
          const Param* found = p.params->find(b.param->name_space, b.param->name);
          if (found != nullptr && !found->under_review) b.named = found;
        }
      }
    }
  }

  Result<void> load_namespaces() {
    for (size_t i = 0; i < objects_.namespaces.size(); i++) {
      std::string name;
      auto kept = read_json(to_json(objects_.namespaces[i]), out_->arena);
      if (!kept.ok()) return kept.error();
      auto values = namespace_values(*kept, name, out_->arena);
      if (!values.ok()) return Error{fmt::format("namespaces[{}]: {}", i, values.error().text)};
      out_->namespaces[name] = *values;
    }
    return {};
  }

  // Calls `load` with one decoded object after the other and its number, until one fails; not with what is prepared.
  template <class Load>
  Result<void> each(const std::vector<ClusterObject>& objects, Load load) {
    Arena arena;
    for (size_t i = 0; i < objects.size(); i++) {
      const ClusterObject& o = objects[i];
      if (o.prepared) continue;
      arena.reset();
      Result<void> done = o.decoded != nullptr ? load(*o.decoded, i) : load(decode_object(arena, o.value), i);
      if (!done.ok()) return done;
    }
    return {};
  }

  // The error if the object is no policy (or binding, if `want` says so) of either sort.
  static Result<void> accept(const Decoded& object, std::string_view list, size_t i, std::string_view want) {
    if (!object.error.empty()) return Error{fmt::format("{}[{}]: {}", list, i, object.error)};
    if (object.kind == nullptr) return Error{fmt::format("{}[{}]: {}", list, i, object.unsupported)};
    if (object.kind->kind != fmt::format("Validating{}", want) && !is_mutating(object, want))
      return Error{fmt::format("{}[{}] is a {}", list, i, object.kind->kind)};
    return {};
  }
  static bool is_mutating(const Decoded& object, std::string_view want) {
    return object.kind->kind.starts_with("Mutating") && object.kind->kind.substr(8) == want;
  }

  Result<void> load_bindings() {
    bindings_.reserve(objects_.bindings.size());
    auto done = each(objects_.bindings, [&](const Decoded& object, size_t i) -> Result<void> {
      if (auto fits = accept(object, "bindings", i, kBinding); !fits.ok()) return fits;
      const Data spec = object.data["spec"];
      bindings_.push_back(
          {is_mutating(object, kBinding), keep(spec.field_text("policyName")), load_binding(object.data)});
      return {};
    });
    std::ranges::stable_sort(
        bindings_, {}, [](const BindingOf& b) { return std::tuple(b.mutating, b.policy, b.binding.name); });
    return done;
  }

  PolicyBinding load_binding(const Data& object) {
    const Data spec = object["spec"];
    BindingActions actions = load_actions(spec["validationActions"]);
    auto& shared = actions_of_[actions.json];
    if (shared == nullptr) shared = std::make_shared<const BindingActions>(std::move(actions));
    return {keep(object["metadata"].field_text("name")), prepared_.rules_of(spec["matchResources"], false),
            load_param_reference(spec["paramRef"]), shared};
  }

  Result<void> load_policies() {
    prepared_.policies(false).reserve(objects_.policies.size());
    for (size_t i = 0; i < objects_.policies.size(); i++) {
      const ClusterObject& o = objects_.policies[i];
      if (o.prepared)
        bind(prepared_.policies(o.prepared->mutating)[o.prepared->number], o.prepared->mutating);
    }
    auto done = each(objects_.policies, [&](const Decoded& object, size_t i) {
      auto fits = accept(object, "policies", i, kPolicy);
      if (!fits.ok()) return fits;
      const bool mutating = is_mutating(object, kPolicy);
      if (!bindings_of(object.data["metadata"].field_text("name"), mutating).empty())
        bind(prepared_.add(object.data, mutating), mutating);
      return fits;
    });
    for (bool mutating : {false, true}) {
      std::vector<LoadedPolicy>& loaded = mutating ? out_->mutating : out_->policies;
      loaded = std::move(prepared_.policies(mutating));
      std::erase_if(loaded, [](const LoadedPolicy& p) { return p.bindings.empty(); });
    }
    return done;
  }

  std::span<const BindingOf> bindings_of(std::string_view policy, bool mutating) const {
    return std::ranges::equal_range(bindings_, std::tuple(mutating, policy), {},
                                    [](const BindingOf& b) { return std::tuple(b.mutating, b.policy); });
  }

  // Gives a policy its bindings and params. A policy that gets no bindings is left out, since it never applies; one with a
  // malformed apiVersion in its paramKind gets none, since it must be skipped.
  void bind(LoadedPolicy& p, bool mutating) {
    if (p.has_param_kind && p.param_kind.empty()) return;
    const auto bindings = bindings_of(p.name, mutating);
    p.bindings.reserve(bindings.size());
    for (const BindingOf& b : bindings) p.bindings.push_back(b.binding);
    if (!p.has_param_kind || bindings.empty()) return;
    p.params = store(p.param_kind);
    if (p.params == nullptr)
      p.configuration_error =
          keep(fmt::format("failed to find resource referenced by paramKind: '{}'", p.param_kind));
  }

  Result<void> load_configurations() {
    auto done = each(objects_.configurations, [&](const Decoded& object, size_t i) -> Result<void> {
      if (!object.error.empty()) return Error{fmt::format("configurations[{}]: {}", i, object.error)};
      if (object.kind == nullptr) return Error{fmt::format("configurations[{}]: {}", i, object.unsupported)};
      if (!object.kind->kind.ends_with("WebhookConfiguration"))
        return Error{fmt::format("configurations[{}] is a {}", i, object.kind->kind)};
      bool mutating = object.kind->kind.starts_with("Mutating");
      load_webhooks(object.data, mutating, prepared_.store(), objects_.parses,
                    mutating ? out_->mutating_webhooks : out_->validating_webhooks);
      return {};
    });
    for (auto* list : {&out_->mutating_webhooks, &out_->validating_webhooks})
      std::ranges::stable_sort(*list, {}, &LoadedWebhook::configuration);
    return done;
  }

  void load_equivalents() {
    const auto& groups = options_.equivalents;
    for (size_t i = 0; i < groups.size(); i++) {
      for (const EquivalentResource& e : groups[i]) out_->equivalent_key[{e.group, e.resource}] = i;
    }
    for (const auto& group : groups) {
      for (const EquivalentResource& e : group) {
        Equivalent& made = out_->equivalents[out_->equivalent_key[{e.group, e.resource}]].emplace_back();
        made.resource = {keep(e.group), keep(e.version), keep(e.resource)};
        made.kind = {keep(e.kind_group), keep(e.kind_version), keep(e.kind)};
        made.by_webhook = e.by_webhook;
        if (e.kind.empty() && e.kind_group.empty() && e.kind_version.empty()) {
          made.error = fmt::format("unable to convert to {}/{}, Resource={}: unknown kind", e.group,
                                   e.version, e.resource);
        }
      }
    }
    // A resource that is named twice has the kind that is named last.
    for (auto& [key, list] : out_->equivalents) {
      for (Equivalent& e : list) {
        for (const Equivalent& other : list) {
          if (other.resource == e.resource)
            e.kind = other.kind, e.error = other.error, e.by_webhook = other.by_webhook;
        }
      }
    }
  }
  std::string_view keep(std::string_view text) { return prepared_.store().keep(text); }

  // Makes the indexes, and what needs the complete path table.
  void finish() {
    Engine::Loaded& out = *out_;
    out.paths = prepared_.store().paths();
    out.texts = prepared_.store().texts();
    // What only loading needs goes before sorting takes memory of its own.
    prepared_.store() = ProgramStore();
    bindings_ = {};
    for (auto* list : {&out.policies, &out.mutating})
      std::ranges::stable_sort(*list, {}, &LoadedPolicy::name);
    out.rules = std::make_shared<const std::vector<MatchRules>>(std::move(prepared_.rules()));
    out.index = PolicyIndex(out.policies, *out.rules);
    out.mutating_index = PolicyIndex(out.mutating, *out.rules);
    out.definitions = options_.definitions;
    out.numbers = std::make_shared<const VariableNumbers>(*out.paths);
    for (auto* list : {&out.policies, &out.mutating}) {
      for (LoadedPolicy& p : *list) {
        out.binding_count += p.bindings.size();
        p.uses_variables = reads_variables(p, out.numbers->variables);
      }
    }
    number_memos();
  }

  // Numbers the outcomes that a request may need more than once: of programs that several expressions share, and of those
  // that a policy evaluates for several params or bindings, unless they read the params or `variables`, which are set anew.
  void number_memos() {
    std::vector<Use> uses = uses_of_programs();
    std::ranges::sort(uses, {}, &Use::program);
    for (size_t i = 0, end = 0; i < uses.size(); i = end) {
      bool again = false;
      for (end = i; end < uses.size() && uses[end].program == uses[i].program; end++)
        again |= uses[end].again;
      if (end - i < 2 && !again) continue;
      const uint32_t memo = out_->paths->new_memo();
      for (size_t j = i; j < end; j++) *uses[j].memo = memo;
    }
  }
  // An expression or variable whose outcome may be kept.
  struct Use {
    const Program* program;
    uint32_t* memo;
    bool again;  // a request may evaluate it again with the same variables
  };
  std::vector<Use> uses_of_programs() {
    std::vector<Use> out;
    auto add = [&](auto& item, bool often) {
      if (item.program == nullptr || !item.program->depends_on_variables_only()) return;
      const bool changes =
          reads(*item.program, out_->numbers->params) || reads(*item.program, out_->numbers->variables);
      out.push_back({item.program.get(), &item.memo, often && !changes});
    };
    for (auto* list : {&out_->policies, &out_->mutating}) {
      for (LoadedPolicy& p : *list) {
        const bool often = p.has_param_kind || (list == &out_->mutating && p.bindings.size() > 1);
        for (PolicyVariable& v : p.variables) add(v, often);
        for (auto* expressions : {&p.conditions, &p.checks, &p.messages, &p.annotation_values}) {
          for (PolicyExpression& e : *expressions) add(e, often);
        }
        for (PolicyMutation& m : p.mutations) add(m.expression, often);
      }
    }
    for (auto* list : {&out_->mutating_webhooks, &out_->validating_webhooks}) {
      for (LoadedWebhook& w : *list) {
        for (PolicyExpression& e : w.conditions) add(e, false);
      }
    }
    return out;
  }
  static bool reads(const Program& program, uint32_t variable) {
    return std::ranges::find(program.reads(), variable) != program.reads().end();
  }
  static bool reads_variables(const LoadedPolicy& p, uint32_t number) {
    auto read_by = [&](const PolicyExpression& e) {
      return e.program != nullptr && reads(*e.program, number);
    };
    for (const auto* list : {&p.conditions, &p.checks, &p.messages, &p.annotation_values}) {
      if (std::ranges::any_of(*list, read_by)) return true;
    }
    return std::ranges::any_of(p.mutations, [&](const PolicyMutation& m) { return read_by(m.expression); });
  }

  static constexpr std::string_view kPolicy = "AdmissionPolicy", kBinding = "AdmissionPolicyBinding";
  const ObjectsToLoad& objects_;
  const Cluster& options_;
  std::unique_ptr<Engine::Loaded> out_ = std::make_unique<Engine::Loaded>();
  PreparedPolicies own_{objects_.expressions, objects_.parses};
  PreparedPolicies& prepared_ = objects_.prepared != nullptr ? *objects_.prepared : own_;
  std::map<std::string, std::shared_ptr<const BindingActions>> actions_of_;  // by their JSON
  std::vector<BindingOf> bindings_;  // ordered by policy, then by name
};

}  // namespace

VariableNumbers::VariableNumbers(const PathTable& paths)
    : object(paths.find_variable("object")),
      old_object(paths.find_variable("oldObject")),
      request(paths.find_variable("request")),
      namespace_object(paths.find_variable("namespaceObject")),
      params(paths.find_variable("params")),
      authorizer(paths.find_variable("authorizer")),
      request_resource(paths.find_variable("authorizer.requestResource")),
      variables(paths.find_variable("variables")) {}

namespace {
// A hash that differs between processes, because others choose the names of params.
uint64_t hash_name(std::string_view name_space, std::string_view name) {
  return hash_key(Value::string(name)) + 31 * hash_key(Value::string(name_space));
}
}  // namespace

void ParamStore::make_table() {
  table_.assign(std::bit_ceil(2 * params.size() + 1), 0);
  for (uint32_t i = 0; i < params.size(); i++) {
    size_t at = hash_name(params[i].name_space, params[i].name) & (table_.size() - 1);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = i + 1;
  }
}

const Param* ParamStore::find(std::string_view name_space, std::string_view name) const {
  if (params.empty()) return nullptr;
  const size_t mask = table_.size() - 1;
  for (size_t at = hash_name(name_space, name) & mask; table_[at] != 0; at = (at + 1) & mask) {
    const Param& p = params[table_[at] - 1];
    if (p.name == name && p.name_space == name_space) return &p;
  }
  return nullptr;
}

const std::vector<Equivalent>* Engine::Loaded::equivalents_of(const GroupVersionResource& resource) const {
  if (equivalents.empty()) return nullptr;
  auto key = equivalent_key.find(std::pair(resource.group, resource.resource));
  return key == equivalent_key.end() ? nullptr : &equivalents.at(key->second);
}

Engine::Engine(std::unique_ptr<Loaded> loaded) : loaded_(std::move(loaded)) {}
Engine::~Engine() = default;
size_t Engine::policy_count() const { return loaded_->policies.size() + loaded_->mutating.size(); }
bool Engine::has_mutations() const { return !loaded_->mutating.empty(); }
size_t Engine::binding_count() const { return loaded_->binding_count; }

namespace {
ObjectsToLoad objects_to_load(const Cluster& cluster) {
  ObjectsToLoad out;
  for (const Value& v : cluster.policies) out.policies.emplace_back(v);
  for (const Value& v : cluster.bindings) out.bindings.emplace_back(v);
  for (const Value& v : cluster.configurations) out.configurations.emplace_back(v);
  for (const Value& v : cluster.params) out.params.push_back(to_json(v));
  out.namespaces = cluster.namespaces;
  return out;
}
}  // namespace

Result<std::shared_ptr<const Engine>> Engine::load(const Cluster& cluster) {
  return load(objects_to_load(cluster), cluster);
}

Result<std::shared_ptr<const Engine>> Engine::exchange(const Cluster& data) const {
  const ObjectsToLoad objects = objects_to_load(data);
  Cluster options;
  options.closed_param_kinds = true;
  options.typed_params = data.typed_params;
  auto loaded = Loader(objects, options).exchange(*loaded_);
  if (!loaded.ok()) return loaded.error();
  return std::shared_ptr<const Engine>(new Engine(std::move(*loaded)));
}

Result<std::shared_ptr<const Engine>> Engine::load(const ObjectsToLoad& objects, const Cluster& options) {
  auto loaded = Loader(objects, options).load();
  if (!loaded.ok()) return loaded.error();
  return std::shared_ptr<const Engine>(new Engine(std::move(*loaded)));
}

}  // namespace portcullis
