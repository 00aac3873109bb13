// Engine::load: turns policies, bindings and params into a loaded engine; see admission.h and policy.h. An
// error of a policy is stored with it and reported when a request meets it, as the API server does with
// stored policies.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "admission/builtin/normalize.h"
#include "admission/engine/policy.h"
#include "admission/engine/webhooks.h"
#include "admission/expressions/expression_places.h"
#include "admission/objects/field_error.h"
#include "admission/scalars/names.h"
#include "grammar/quote.h"
#include "grammar/shared_parses.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/json.h"
#include "interpreter/values/map.h"

namespace portcullis {
namespace {

// "group/version, Kind=kind", as Kubernetes prints a kind; the core group is empty.
std::string kind_text(std::string_view api_version, std::string_view kind) {
  bool core = api_version.find('/') == std::string_view::npos;
  return fmt::format("{}{}, Kind={}", core ? "/" : "", api_version, kind);
}

// Compiles the expressions of one policy, untrimmed. Match conditions of stored policies may use `variables`,
// so variables are compiled first.
class PolicyLoader {
 public:
  PolicyLoader(LoadedPolicy& out, const Data& object, ProgramStore& store, const DecodedCluster& cluster)
      : out_(out),
        spec_(object["spec"]),
        params_(spec_["paramKind"].set),
        version_(cluster.expressions),
        compiler_(true, &store, cluster.parses) {
    std::vector<PlacedExpression> all = expressions_of(object);
    std::ranges::stable_partition(
        all, [](const PlacedExpression& e) { return e.place->role == ExpressionRole::Variable; });
    for (const PlacedExpression& e : all) add(e);
    out_.mutation_count = spec_["mutations"].size();
  }

 private:
  void add(const PlacedExpression& e) {
    switch (e.place->role) {
      case ExpressionRole::Variable:
        return add_variable(out_.variables, e.name, e.text,
                            compiler_.variable(e.name, e.text, e.place->declared(params_), version_));
      case ExpressionRole::MatchCondition: out_.conditions.push_back(expression(e)); break;
      case ExpressionRole::Validation: validation(e); break;
      case ExpressionRole::Message:
        if (e.text.empty()) {
          out_.messages.emplace_back().absent = true;
        } else {
          out_.has_messages = true;
          out_.messages.push_back(expression(e));
        }
        break;
      case ExpressionRole::Annotation: annotation(e); break;
      case ExpressionRole::ApplyConfiguration: mutation(e, "ApplyConfiguration"); break;
      case ExpressionRole::JsonPatch: mutation(e, "JSONPatch"); break;
    }
  }
  PolicyExpression expression(const PlacedExpression& e) {
    return policy_expression(
        e.text, compiler_.compile(e.text, e.place->results, e.place->declared(params_), version_));
  }
  void validation(const PlacedExpression& e) {
    out_.checks.push_back(expression(e));
    const Data& v = spec_["validations"].items[e.index];
    PolicyValidation& validation = out_.validations.emplace_back();
    validation.message = trim_space(v["message"].text);
    validation.fallback = fmt::format("failed expression: {}", trim_space(e.text));
    validation.reason = v["reason"].set ? v["reason"].text : std::string_view("Invalid");
  }
  void annotation(const PlacedExpression& e) {
    out_.annotation_values.push_back(expression(e));
    PolicyAnnotation& annotation = out_.annotations.emplace_back();
    annotation.key = e.name;
    std::string key = out_.name + "/" + annotation.key;
    bool valid = std::count(key.begin(), key.end(), '/') == 1 && names::label_key(key).empty();
    if (valid) annotation.audit_key = key;
  }

  // Skips an expression that does not belong to the patchType of its entry.
  void mutation(const PlacedExpression& e, std::string_view type) {
    if (spec_["mutations"].items[e.index].field_text("patchType") != type) return;
    CompiledExpression compiled =
        compiler_.compile(e.text, e.place->results, e.place->declared(params_), version_);
    PolicyMutation& made = out_.mutations.emplace_back();
    made.json_patch = e.place->role == ExpressionRole::JsonPatch;
    made.expression = policy_expression(e.text, compiled);
    made.expression.compile_error = compiled.error;  // mutations report it without "compilation error: "
  }

  LoadedPolicy& out_;
  const Data spec_;
  bool params_;
  ExpressionVersion version_;
  PolicyCompiler compiler_;
};

PolicyBinding load_binding(const Data& object, uint32_t match) {
  PolicyBinding out;
  const Data& spec = object["spec"];
  out.name = object["metadata"].field_text("name");
  out.policy_name = spec.field_text("policyName");
  out.match = match;
  const Data& ref = spec["paramRef"];
  out.param.present = ref.set;
  out.param.name = ref.field_text("name");
  out.param.name_space = ref.field_text("namespace");
  out.param.has_selector = ref["selector"].set;
  if (ref["selector"].set) out.param.selector = LabelSelector(ref["selector"]);
  out.param.deny_missing = ref.field_text("parameterNotFoundAction") == "Deny";
  out.actions_json = spec["validationActions"].set ? "[" : "null";
  for (const Data& a : spec["validationActions"].items) {
    if (out.actions_json.size() > 1) out.actions_json += ',';
    out.actions_json += quote_json(a.text, JsonEscape::Go);
    if (a.text == "Deny") out.actions.push_back(Action::Deny);
    if (a.text == "Warn") out.actions.push_back(Action::Warn);
    if (a.text == "Audit") out.actions.push_back(Action::Audit);
  }
  if (spec["validationActions"].set) out.actions_json += ']';
  return out;
}

class Loader {
 public:
  Loader(const DecodedCluster& objects, const Cluster& options) : objects_(objects), options_(options) {}

  Result<std::unique_ptr<Engine::Loaded>> load() {
    load_param_kinds();
    for (auto step : {&Loader::load_params, &Loader::load_namespaces, &Loader::load_bindings,
                      &Loader::load_policies, &Loader::load_configurations}) {
      if (auto done = (this->*step)(); !done.ok()) return done.error();
    }
    load_equivalents();
    finish();
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
    out_->assume_namespaces = before.assume_namespaces;
    return std::move(out_);
  }

 private:
  void load_param_kinds() {
    for (const ParamKindInfo& k : options_.param_kinds)
      out_->params[kind_text(k.api_version, k.kind)].namespaced = k.namespaced;
  }

  // The store of a kind; null if the cluster does not have the kind.
  ParamStore* store(const std::string& kind) {
    auto found = out_->params.find(kind);
    if (found != out_->params.end()) return &found->second;
    if (options_.closed_param_kinds) return nullptr;
    ParamStore& made = out_->params[kind];
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
        add_param(*s, held.object, in_mutations);
        continue;
      }
      add_param(*s, *value, *value);
    }
    for (auto& [kind, held] : out_->params) {
      sort_params(held.params);
      held.make_table();
    }
    return {};
  }
  void add_param(ParamStore& store, const Value& value, const Value& in_mutations) {
    Param p;
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
    for (size_t i = 0; i < objects_.bindings.size(); i++) {
      const Decoded& object = *objects_.bindings[i];
      if (auto fits = accept(object, "bindings", i, kBinding); !fits.ok()) return fits;
      uint32_t match = rules_of(object.data["spec"]["matchResources"], false);
      bindings_.push_back({load_binding(object.data, match), is_mutating(object, kBinding)});
    }
    std::stable_sort(bindings_.begin(), bindings_.end(),
                     [](const Numbered& a, const Numbered& b) { return a.binding.name < b.binding.name; });
    for (size_t i = 0; i < bindings_.size(); i++)
      bindings_of_[{bindings_[i].mutating, bindings_[i].binding.policy_name}].push_back(i);
    return {};
  }

  Result<void> load_policies() {
    for (size_t i = 0; i < objects_.policies.size(); i++) {
      const Decoded& object = *objects_.policies[i];
      if (auto fits = accept(object, "policies", i, kPolicy); !fits.ok()) return fits;
      load_policy(object.data, is_mutating(object, kPolicy));
    }
    for (auto* list : {&out_->policies, &out_->mutating}) {
      std::stable_sort(list->begin(), list->end(),
                       [](const LoadedPolicy& a, const LoadedPolicy& b) { return a.name < b.name; });
    }
    return {};
  }

  void load_policy(const Data& object, bool mutating) {
    LoadedPolicy p;
    p.name = object["metadata"].field_text("name");
    if (auto found = bindings_of_.find({mutating, p.name}); found != bindings_of_.end()) {
      for (size_t i : found->second) p.bindings.push_back(bindings_[i].binding);
    }
    if (p.bindings.empty()) return;  // it never applies
    const Data& spec = object["spec"];
    if (!load_param_kind(spec["paramKind"], p)) return;
    p.failure_text = spec.field_text("failurePolicy");
    p.failure = !spec["failurePolicy"].set || p.failure_text == "Fail" ? FailurePolicy::Fail
                : p.failure_text == "Ignore"                           ? FailurePolicy::Ignore
                                                                       : FailurePolicy::Unknown;
    p.match = rules_of(spec["matchConstraints"], true);
    p.reinvoked = spec.field_text("reinvocationPolicy") == "IfNeeded";
    word_denials(p, mutating);
    PolicyLoader(p, object, store_, objects_);
    // Nobody looks at a policy after its loading.
    if (objects_.parses != nullptr) {
      for (const PlacedExpression& e : expressions_of(object)) objects_.parses->forget(e.text);
    }
    (mutating ? out_->mutating : out_->policies).push_back(std::move(p));
  }
  // The number of these rules. Most policies and bindings share theirs with others.
  uint32_t rules_of(const Data& match, bool required) {
    std::pair<bool, std::string> text{required, match.set ? go_json(match) : std::string()};
    auto [at, fresh] = rules_of_.try_emplace(std::move(text), static_cast<uint32_t>(rules_.size()));
    if (fresh) rules_.emplace_back(match, required);
    return at->second;
  }
  // Go quotes the name of a mutating policy in messages that name no binding.
  static void word_denials(LoadedPolicy& p, bool mutating) {
    std::string_view kind = mutating ? "policy" : "ValidatingAdmissionPolicy";
    p.denial = mutating ? fmt::format("policy {} denied request: ", quote(p.name))
                        : fmt::format("{} '{}' denied request: ", kind, p.name);
    for (PolicyBinding& b : p.bindings) {
      b.denial = fmt::format("{} '{}' with binding '{}' denied request: ", kind, p.name, b.name);
      if (mutating) continue;
      b.warning = fmt::format(
          "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': ", p.name, b.name);
    }
  }

  Result<void> load_configurations() {
    for (size_t i = 0; i < objects_.configurations.size(); i++) {
      const Decoded& object = *objects_.configurations[i];
      if (!object.error.empty()) return Error{fmt::format("configurations[{}]: {}", i, object.error)};
      if (object.kind == nullptr) return Error{fmt::format("configurations[{}]: {}", i, object.unsupported)};
      if (!object.kind->kind.ends_with("WebhookConfiguration"))
        return Error{fmt::format("configurations[{}] is a {}", i, object.kind->kind)};
      bool mutating = object.kind->kind.starts_with("Mutating");
      load_webhooks(object.data, mutating, store_, objects_.parses,
                    mutating ? out_->mutating_webhooks : out_->validating_webhooks);
    }
    for (auto* list : {&out_->mutating_webhooks, &out_->validating_webhooks})
      std::ranges::stable_sort(*list, {}, &LoadedWebhook::configuration);
    return {};
  }

  // False if the policy must be skipped, because its apiVersion is malformed.
  bool load_param_kind(const Data& kind, LoadedPolicy& p) {
    p.has_param_kind = kind.set;
    if (!kind.set) return true;
    std::string_view api_version = kind.field_text("apiVersion");
    if (std::count(api_version.begin(), api_version.end(), '/') > 1) return false;
    if (api_version == "/") api_version = "";
    std::string text = kind_text(api_version, kind.field_text("kind"));
    p.params = store(text);
    if (p.params == nullptr)
      p.configuration_error = fmt::format("failed to find resource referenced by paramKind: '{}'", text);
    return true;
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
          if (other.resource == e.resource) e.kind = other.kind, e.error = other.error;
        }
      }
    }
  }
  std::string_view keep(const std::string& text) { return out_->equivalent_texts->copy(text); }

  // Makes the indexes, and what needs the complete path table.
  void finish() {
    Engine::Loaded& out = *out_;
    out.paths = store_.paths();
    out.index = PolicyIndex(out.policies, rules_);
    out.mutating_index = PolicyIndex(out.mutating, rules_);
    out.rules = std::make_shared<const std::vector<MatchRules>>(std::move(rules_));
    out.definitions = options_.definitions;
    out.numbers = std::make_shared<const VariableNumbers>(*out.paths);
    for (auto* list : {&out.policies, &out.mutating}) {
      for (LoadedPolicy& p : *list) {
        out.binding_count += p.bindings.size();
        p.uses_variables = reads_variables(p, out.numbers->variables);
      }
    }
  }
  static bool reads_variables(const LoadedPolicy& p, uint32_t number) {
    auto reads = [&](const PolicyExpression& e) {
      return e.program != nullptr &&
             std::ranges::find(e.program->reads(), number) != e.program->reads().end();
    };
    for (const auto* list : {&p.conditions, &p.checks, &p.messages, &p.annotation_values}) {
      if (std::ranges::any_of(*list, reads)) return true;
    }
    return std::ranges::any_of(p.mutations, [&](const PolicyMutation& m) { return reads(m.expression); });
  }

  struct Numbered {
    PolicyBinding binding;
    bool mutating;
  };
  static constexpr std::string_view kPolicy = "AdmissionPolicy", kBinding = "AdmissionPolicyBinding";
  const DecodedCluster& objects_;
  const Cluster& options_;
  std::unique_ptr<Engine::Loaded> out_ = std::make_unique<Engine::Loaded>();
  ProgramStore store_;
  std::vector<MatchRules> rules_;
  std::map<std::pair<bool, std::string>, uint32_t> rules_of_;  // by requirement (MatchRules) and text
  std::vector<Numbered> bindings_;
  std::map<std::pair<bool, std::string>, std::vector<size_t>> bindings_of_;  // by sort and name of the policy
};

}  // namespace

PolicyExpression policy_expression(std::string_view text, const CompiledExpression& compiled) {
  PolicyExpression out;
  out.text = text;
  out.program = compiled.program;
  if (!compiled.error.empty()) out.compile_error = "compilation error: " + compiled.error;
  return out;
}

void add_variable(std::vector<PolicyVariable>& variables, std::string_view name, std::string_view text,
                  const CompiledExpression& compiled) {
  auto same = std::ranges::find(variables, name, &PolicyVariable::name);
  PolicyVariable& variable = same != variables.end() ? *same : variables.emplace_back();
  variable.name = name;
  variable.text = text;
  variable.program = compiled.program;
  variable.compile_error = compiled.error.empty() ? std::string()
                                                  : fmt::format("composited variable {} fails to compile: {}",
                                                                quote(std::string(name)), compiled.error);
}

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
// The decoded objects live in the arena.
DecodedCluster decode_cluster(const Cluster& cluster, Arena& arena) {
  DecodedCluster out;
  auto decode = [&](const std::vector<Value>& values, std::vector<std::shared_ptr<const Decoded>>& list) {
    for (const Value& v : values) list.push_back(std::make_shared<Decoded>(decode_object(arena, v)));
  };
  decode(cluster.policies, out.policies);
  decode(cluster.bindings, out.bindings);
  decode(cluster.configurations, out.configurations);
  for (const Value& v : cluster.params) out.params.push_back(to_json(v));
  out.namespaces = cluster.namespaces;
  return out;
}
}  // namespace

Result<std::shared_ptr<const Engine>> Engine::load(const Cluster& cluster) {
  Arena arena;
  return load(decode_cluster(cluster, arena), cluster);
}

Result<std::shared_ptr<const Engine>> Engine::exchange(const Cluster& data) const {
  Arena arena;
  const DecodedCluster objects = decode_cluster(data, arena);
  Cluster options;
  options.closed_param_kinds = true;
  options.typed_params = data.typed_params;
  auto loaded = Loader(objects, options).exchange(*loaded_);
  if (!loaded.ok()) return loaded.error();
  return std::shared_ptr<const Engine>(new Engine(std::move(*loaded)));
}

Result<std::shared_ptr<const Engine>> Engine::load(const DecodedCluster& objects, const Cluster& options) {
  auto loaded = Loader(objects, options).load();
  if (!loaded.ok()) return loaded.error();
  return std::shared_ptr<const Engine>(new Engine(std::move(*loaded)));
}

}  // namespace portcullis
