#include "admission/engine/params.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "admission/builtin/normalize.h"
#include "admission/engine/objects_to_load.h"
#include "admission/engine/policy.h"
#include "admission/engine/request_values.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/keeper.h"

namespace portcullis {
namespace {

// `made`, marked as `map` is.
Value marked_as(const Value& map, const Value& made) {
  return map.flags() & kGoStruct ? made.as_go_struct(map.go_struct())
                                 : made.with_more_flags(map.flags() & kGoMap);
}

std::string_view text_at(const Value& object, std::string_view field) {
  const Value* found = find_key(object, Value::string(field));
  return found != nullptr && found->is(Kind::String) ? found->as_text() : std::string_view();
}

// A copy of the object without metadata.namespace, with its marks.
Value without_namespace(const Value& object, Arena& arena) {
  const Value* m = find_key(object, Value::string("metadata"));
  if (m == nullptr || !m->is(Kind::Map) || find_key(*m, Value::string("namespace")) == nullptr) return object;
  const Value bare = marked_as(*m, without_member(arena, *m, "namespace"));
  return marked_as(object, with_member(arena, object, "metadata", bare));
}

using Changes = std::map<ParamStore*, std::vector<SharedMap<Param>::Change>>;

// `arena`: of the values, of which the param gets copies.
void add_param(ParamStore& store, std::shared_ptr<Param> p, const Value& value, const Value& in_mutations,
               Arena& arena, Changes& changes) {
  p->name = metadata_text(value, "name");
  if (store.namespaced) p->name_space = metadata_text(value, "namespace");
  Keeper keeper(p->arena);
  p->value = keeper.keep(store.namespaced ? value : without_namespace(value, arena));
  p->in_mutations = keeper.keep(store.namespaced ? in_mutations : without_namespace(in_mutations, arena));
  p->key = p->name_space.empty() ? p->name : p->name_space + "/" + p->name;
  p->labels = labels_of(p->value);
  const SharedMapKey key = p->map_key();
  changes[&store].push_back({key, std::move(p)});
}

}  // namespace

ParamStore* store_of(ParamStores& stores, std::string_view kind, const Cluster& options) {
  auto found = stores.find(kind);
  if (found != stores.end()) return &found->second;
  if (options.closed_param_kinds) return nullptr;
  ParamStore& made = stores[std::string(kind)];
  made.namespaced = !options.params_cluster_scoped;
  return &made;
}

Result<void> load_params(const ObjectsToLoad& objects, std::span<const ObjectName> gone,
                         const Cluster& options, ParamStores& stores) {
  Changes changes;
  for (const ObjectName& o : gone) {
    auto found = stores.find(kind_text(o.api_version, o.kind));
    if (found == stores.end()) continue;
    ParamStore& s = found->second;
    changes[&s].push_back({{s.namespaced ? o.name_space : std::string_view(), o.name}, nullptr});
  }
  Arena arena;  // of what only reading needs
  for (size_t i = 0; i < objects.params.size(); i++) {
    arena.reset();
    auto made = std::make_shared<Param>(objects.params[i].size());
    auto value = read_json(objects.params[i], arena);
    if (!value.ok()) return Error{fmt::format("params[{}]: {}", i, value.error().text)};
    if (!value->is(Kind::Map)) return Error{fmt::format("params[{}] is not an object", i)};
    std::string text = kind_text(text_at(*value, "apiVersion"), text_at(*value, "kind"));
    ParamStore* s = store_of(stores, text, options);
    if (s == nullptr) return Error{fmt::format("params[{}]: paramKinds does not list {}", i, text)};
    made->under_review = i < objects.params_under_review;
    Value held = *value, in_mutations = *value;
    if (options.typed_params && builtin::is_builtin(*value)) {
      builtin::Normalized normalized = builtin::param_object(arena, *value);
      if (!normalized.error.empty()) return Error{fmt::format("params[{}]: {}", i, normalized.error)};
      held = normalized.object;
      in_mutations = builtin::informer_object(arena, *value).object;
    }
    add_param(*s, std::move(made), held, in_mutations, arena, changes);
  }
  for (auto& [store, list] : changes) store->params.change(std::move(list));
  return {};
}

void find_named_params(const std::vector<LoadedPolicy>& policies, std::vector<PolicyBinding>& bindings) {
  for (const LoadedPolicy& p : policies) {
    for (PolicyBinding& b : std::span(bindings).subspan(p.first_binding, p.binding_count)) {
      b.named = nullptr;
      if (p.params == nullptr || b.param == nullptr || b.param->name.empty() || b.param->has_selector)
        continue;
      if (p.params->namespaced == b.param->name_space.empty()) continue;
      const Param* found = p.params->params.find({b.param->name_space, b.param->name});
      if (found != nullptr && !found->under_review) b.named = found;
    }
  }
}

}  // namespace portcullis
