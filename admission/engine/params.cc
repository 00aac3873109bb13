#include "admission/engine/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "admission/builtin/normalize.h"
#include "admission/engine/objects_to_load.h"
#include "admission/engine/policy.h"
#include "admission/engine/request_values.h"
#include "interpreter/values/json.h"
#include "interpreter/values/map.h"

namespace portcullis {
namespace {

// A hash that differs between processes, because others choose the names of params.
uint64_t hash_name(std::string_view name_space, std::string_view name) {
  return hash_key(Value::string(name)) + 31 * hash_key(Value::string(name_space));
}

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
  auto old = object.as_map();
  MapEntry* entries = alloc_entries(arena, old.size());
  for (size_t i = 0; i < old.size(); i++) {
    entries[i] = old[i];
    if (old[i].key.as_text() != "metadata" || !old[i].value.is(Kind::Map)) continue;
    auto meta = old[i].value.as_map();
    MapEntry* kept = alloc_entries(arena, meta.size());
    size_t n = 0;
    for (const MapEntry& e : meta) {
      if (e.key.as_text() != "namespace") kept[n++] = e;
    }
    entries[i].value = marked_as(old[i].value, make_map(arena, kept, n));
  }
  return marked_as(object, make_map(arena, entries, old.size()));
}

// Sorts params by key; of several with one key, the last one stays.
void sort_params(std::vector<Param>& params) {
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

void add_param(ParamStore& store, const Value& value, const Value& in_mutations, bool under_review,
               Arena& arena) {
  Param p;
  p.under_review = under_review;
  p.name = metadata_text(value, "name");
  if (store.namespaced) p.name_space = metadata_text(value, "namespace");
  p.value = store.namespaced ? value : without_namespace(value, arena);
  p.in_mutations = store.namespaced ? in_mutations : without_namespace(in_mutations, arena);
  p.key = p.name_space.empty() ? p.name : p.name_space + "/" + p.name;
  p.labels = labels_of(value);
  store.params.push_back(std::move(p));
}

}  // namespace

std::string kind_text(std::string_view api_version, std::string_view kind) {
  bool core = api_version.find('/') == std::string_view::npos;
  return fmt::format("{}{}, Kind={}", core ? "/" : "", api_version, kind);
}

ParamStore* store_of(ParamStores& stores, std::string_view kind, const Cluster& options) {
  auto found = stores.find(kind);
  if (found != stores.end()) return &found->second;
  if (options.closed_param_kinds) return nullptr;
  ParamStore& made = stores[std::string(kind)];
  made.namespaced = !options.params_cluster_scoped;
  return &made;
}

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

Result<void> load_params(const ObjectsToLoad& objects, const Cluster& options, ParamStores& stores,
                         Arena& arena) {
  for (size_t i = 0; i < objects.params.size(); i++) {
    auto value = read_json(objects.params[i], arena);
    if (!value.ok()) return Error{fmt::format("params[{}]: {}", i, value.error().text)};
    if (!value->is(Kind::Map)) return Error{fmt::format("params[{}] is not an object", i)};
    std::string text = kind_text(text_at(*value, "apiVersion"), text_at(*value, "kind"));
    ParamStore* s = store_of(stores, text, options);
    if (s == nullptr) return Error{fmt::format("params[{}]: paramKinds does not list {}", i, text)};
    const bool under_review = i < objects.params_under_review;
    if (options.typed_params && builtin::is_builtin(*value)) {
      builtin::Normalized held = builtin::param_object(arena, *value);
      if (!held.error.empty()) return Error{fmt::format("params[{}]: {}", i, held.error)};
      Value in_mutations = builtin::informer_object(arena, *value).object;
      add_param(*s, held.object, in_mutations, under_review, arena);
      continue;
    }
    add_param(*s, *value, *value, under_review, arena);
  }
  for (auto& [kind, held] : stores) {
    sort_params(held.params);
    held.make_table();
  }
  return {};
}

void find_named_params(std::vector<LoadedPolicy>& policies) {
  for (LoadedPolicy& p : policies) {
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

}  // namespace portcullis
