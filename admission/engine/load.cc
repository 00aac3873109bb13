// Engine::load: turns policies, bindings and params into a loaded engine; see admission.h and loaded.h. An
// error of a policy is stored with it and reported when a request meets it, as the API server does with
// stored policies.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "admission/engine/loaded.h"
#include "admission/engine/memos.h"
#include "admission/engine/objects_to_load.h"
#include "admission/engine/prepared.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/json.h"

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
    find_params();
    out_->assume_namespaces = options_.assume_namespaces;
    return std::move(out_);
  }

  // An engine with the compiled policies of `before`, and of params and namespaces those of these documents and, if
  // `keeps` says so, those of `before` that are not `gone`.
  Result<std::unique_ptr<Engine::Loaded>> exchange(const Engine::Loaded& before, bool keeps,
                                                   std::span<const ObjectName> gone = {}) {
    static_cast<CompiledPolicies&>(*out_) = before;
    gone_ = gone;
    if (keeps) out_->namespaces = before.namespaces;
    std::map<const ParamStore*, const ParamStore*> stores;
    for (const auto& [kind, held] : before.params) {
      ParamStore& made = out_->params[kind];
      made.namespaced = held.namespaced;
      if (keeps) made.params = held.params;
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
    find_params();
    out_->assume_namespaces = before.assume_namespaces;
    return std::move(out_);
  }

 private:
  void load_param_kinds() {
    for (const ParamKindInfo& k : options_.param_kinds)
      out_->params[kind_text(k.api_version, k.kind)].namespaced = k.namespaced;
  }

  Result<void> load_params() { return portcullis::load_params(objects_, gone_, options_, out_->params); }
  void find_params() {
    find_named_params(out_->policies, out_->bindings);
    find_named_params(out_->mutating, out_->bindings);
  }

  Result<void> load_namespaces() {
    std::vector<SharedMap<LoadedNamespace>::Change> changes;
    for (const ObjectName& o : gone_) {
      if (o.api_version == "v1" && o.kind == "Namespace") changes.push_back({{{}, o.name}, nullptr});
    }
    for (size_t i = 0; i < objects_.namespaces.size(); i++) {
      const std::string json = to_json(objects_.namespaces[i]);
      auto made = std::make_shared<LoadedNamespace>(json.size());
      auto kept = read_json(json, made->arena);
      if (!kept.ok()) return kept.error();
      auto values = namespace_values(*kept, made->name, made->arena);
      if (!values.ok()) return Error{fmt::format("namespaces[{}]: {}", i, values.error().text)};
      made->values = *values;
      const SharedMapKey key = made->map_key();
      changes.push_back({key, std::move(made)});
    }
    out_->namespaces.change(std::move(changes));
    return {};
  }

  // Calls `load` with one decoded object after the other and its number, until one fails; not with what is prepared.
  template <class Load>
  Result<void> each(const std::vector<ClusterObject>& objects, Load load) {
    Arena arena;
    for (size_t i = 0; i < objects.size(); i++) {
      const ClusterObject& o = objects[i];
      if (o.prepared() != nullptr) continue;
      arena.reset();
      const auto* decoded = std::get_if<std::shared_ptr<const Decoded>>(&o.object);
      Result<void> done =
          decoded != nullptr ? load(**decoded, i) : load(decode_object(arena, std::get<Value>(o.object)), i);
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
    // What equals something that is compiled already is compiled anew from here on; there may be nothing.
    if (std::ranges::all_of(objects_.policies,
                            [](const ClusterObject& o) { return o.prepared() != nullptr; }))
      prepared_.store().forget();
    out_->bindings.reserve(objects_.bindings.size());
    auto done = each(objects_.bindings, [&](const Decoded& object, size_t i) -> Result<void> {
      if (auto fits = accept(object, "bindings", i, kBinding); !fits.ok()) return fits;
      out_->bindings.push_back(load_binding(object.data, is_mutating(object, kBinding)));
      return {};
    });
    std::ranges::stable_sort(out_->bindings, {},
                             [](const PolicyBinding& b) { return std::tuple(b.mutating, b.policy, b.name); });
    return done;
  }

  PolicyBinding load_binding(const Data& object, bool mutating) {
    const Data spec = object["spec"];
    BindingActions actions = load_actions(spec["validationActions"]);
    auto& shared = actions_of_[actions.json];
    if (shared == nullptr) shared = std::make_shared<const BindingActions>(std::move(actions));
    Arena& texts = *prepared_.store().texts();
    return {.name = texts.copy(object["metadata"].field_text("name")),
            .policy = texts.copy(spec.field_text("policyName")),
            .match = prepared_.rules_of(spec["matchResources"], false),
            .mutating = mutating,
            .param = load_param_reference(spec["paramRef"]),
            .actions = shared};
  }

  Result<void> load_policies() {
    prepared_.policies(false).reserve(objects_.policies.size());
    for (size_t i = 0; i < objects_.policies.size(); i++) {
      const ClusterObject& o = objects_.policies[i];
      if (const PreparedPlace* p = o.prepared())
        bind(prepared_.policies(p->mutating)[p->number], p->mutating);
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
      std::erase_if(loaded, [](const LoadedPolicy& p) { return p.binding_count == 0; });
    }
    return done;
  }

  std::span<const PolicyBinding> bindings_of(std::string_view policy, bool mutating) const {
    return std::ranges::equal_range(out_->bindings, std::tuple(mutating, policy), {},
                                    [](const PolicyBinding& b) { return std::tuple(b.mutating, b.policy); });
  }

  // Gives a policy its bindings and params. A policy that gets no bindings is left out, since it never applies; one
  // with a malformed apiVersion in its paramKind gets none, since it must be skipped.
  void bind(LoadedPolicy& p, bool mutating) {
    if (p.has_param_kind && p.param_kind.empty()) return;
    const auto bindings = bindings_of(p.name, mutating);
    p.first_binding = static_cast<uint32_t>(bindings.data() - out_->bindings.data());
    p.binding_count = static_cast<uint32_t>(bindings.size());
    if (!p.has_param_kind || bindings.empty()) return;
    p.params = store_of(out_->params, p.param_kind, options_);
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
        if (e.by_webhook) made.conversion = Conversion::ByWebhook;
        made.lacks = e.lacks;
        if (e.kind.empty() && e.kind_group.empty() && e.kind_version.empty()) {
          made.error = keep(fmt::format("unable to convert to {}/{}, Resource={}: unknown kind", e.group,
                                        e.version, e.resource));
        }
      }
    }
    // A resource that is named twice has the kind that is named last.
    for (auto& [key, list] : out_->equivalents) {
      for (Equivalent& e : list) {
        for (const Equivalent& other : list) {
          if (other.resource == e.resource)
            e.kind = other.kind, e.error = other.error, e.conversion = other.conversion,
            e.lacks = other.lacks;
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
    // What only loading needs goes first.
    prepared_.store() = ProgramStore();
    // In place: a stable sort takes half of their memory besides.
    for (auto* list : {&out.policies, &out.mutating})
      std::ranges::sort(*list, {}, [](const LoadedPolicy& p) { return std::pair(p.name, p.number); });
    out.rules = std::make_shared<const std::vector<MatchRules>>(std::move(prepared_.rules()));
    out.index = PolicyIndex(out.policies, *out.rules);
    out.mutating_index = PolicyIndex(out.mutating, *out.rules);
    out.definitions = options_.definitions;
    out.numbers = std::make_shared<const VariableNumbers>(*out.paths);
    for (auto* list : {&out.policies, &out.mutating}) {
      for (LoadedPolicy& p : *list) {
        out.binding_count += p.binding_count;
        p.uses_variables = reads_variables(p, out.numbers->variables);
      }
    }
    number_memos(out);
  }

  static constexpr std::string_view kPolicy = "AdmissionPolicy", kBinding = "AdmissionPolicyBinding";
  const ObjectsToLoad& objects_;
  const Cluster& options_;
  std::span<const ObjectName> gone_;
  std::unique_ptr<Engine::Loaded> out_ = std::make_unique<Engine::Loaded>();
  PreparedPolicies own_{objects_.expressions, objects_.parses};
  PreparedPolicies& prepared_ = objects_.prepared != nullptr ? *objects_.prepared : own_;
  std::map<std::string, std::shared_ptr<const BindingActions>> actions_of_;  // by their JSON
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

std::span<const Equivalent> Engine::Loaded::equivalents_of(const GroupVersionResource& resource) const {
  if (equivalents.empty()) return {};
  auto key = equivalent_key.find(std::pair(resource.group, resource.resource));
  if (key == equivalent_key.end()) return {};
  return equivalents.at(key->second);
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
  return exchanged(data, false, {});
}

Result<std::shared_ptr<const Engine>> Engine::change(const Cluster& data,
                                                     std::span<const ObjectName> gone) const {
  return exchanged(data, true, gone);
}

Result<std::shared_ptr<const Engine>> Engine::exchanged(const Cluster& data, bool keeps,
                                                        std::span<const ObjectName> gone) const {
  const ObjectsToLoad objects = objects_to_load(data);
  Cluster options;
  options.closed_param_kinds = true;
  options.typed_params = data.typed_params;
  auto loaded = Loader(objects, options).exchange(*loaded_, keeps, gone);
  if (!loaded.ok()) return loaded.error();
  return std::shared_ptr<const Engine>(new Engine(std::move(*loaded)));
}

Result<std::shared_ptr<const Engine>> Engine::load(const ObjectsToLoad& objects, const Cluster& options) {
  auto loaded = Loader(objects, options).load();
  if (!loaded.ok()) return loaded.error();
  return std::shared_ptr<const Engine>(new Engine(std::move(*loaded)));
}

}  // namespace portcullis
