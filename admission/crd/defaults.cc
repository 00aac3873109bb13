#include "admission/crd/defaults.h"

#include <algorithm>

#include "interpreter/values/native.h"

namespace portcullis::crd {
namespace {

// Builds a map from its entries.
class MapMaker {
 public:
  MapMaker(Arena& arena, size_t most) : entries_(alloc_entries(arena, most)) {}
  void add(const Value& key, const Value& value) { new (&entries_[count_++]) MapEntry{key, value}; }
  Value finish() { return make_native_map(entries_, count_); }

 private:
  MapEntry* entries_;
  size_t count_ = 0;
};

template <class Each>
Value each_item(Arena& arena, const Value& list, Each each) {
  if (list.size() == 0) return list;  // which may be a nil_list()
  Value* items = arena.array<Value>(list.size());
  for (size_t i = 0; i < list.size(); ++i) new (&items[i]) Value(each(list.as_list()[i], i));
  return Value::list(items, list.size(), kNativeList);
}

// The schema of a field; null if there is none.
const Schema* field_schema(const Schema* schema, std::string_view name) {
  if (schema == nullptr) return nullptr;
  const Schema* property = schema->property(name);
  return property != nullptr ? property : schema->additional.get();
}

class Pruner {
 public:
  Pruner(Arena& arena, std::vector<std::string>& unknown) : arena_(arena), unknown_(unknown) {}

  // `embedded`: a resource, whose apiVersion, kind and metadata stay. `kept`: an outer schema preserves
  // unknown fields, so data without a schema stays.
  Value prune(const Value& v, const Schema* s, const std::string& path, bool embedded, bool kept = false) {
    bool preserves = kept || (s != nullptr && s->preserve_unknown_fields);
    if (preserves && s == nullptr) return v;
    if (v.is(Kind::List)) {
      return each_item(arena_, v, [&](const Value& item, size_t i) {
        return prune(item, s == nullptr ? nullptr : s->items.get(), path + "[" + std::to_string(i) + "]",
                     is_embedded(s), preserves);
      });
    }
    return v.is(Kind::Map) ? prune_map(v, s, path, embedded, preserves) : v;
  }

 private:
  static bool is_embedded(const Schema* s) {
    return s != nullptr && s->items != nullptr && s->items->embedded_resource;
  }

  Value prune_map(const Value& v, const Schema* s, const std::string& path, bool embedded, bool preserves) {
    MapMaker made(arena_, v.size());
    for (const MapEntry& e : v.as_map()) {
      std::string_view name = e.key.as_text();
      std::string at = path.empty() ? std::string(name) : path + "." + std::string(name);
      const Schema* property = s == nullptr ? nullptr : s->property(name);
      if (embedded && is_meta(name)) {
        made.add(e.key, e.value);
      } else if (property != nullptr) {
        made.add(e.key, prune(e.value, property, at, property->embedded_resource));
      } else if (s != nullptr && (s->additional != nullptr || s->additional_allowed)) {
        bool more = s->additional != nullptr && s->additional->embedded_resource;
        made.add(e.key, prune(e.value, s->additional.get(), at, more));
      } else if (preserves) {
        made.add(e.key, e.value);
      } else if (!is_meta(name) || !path.empty()) {
        unknown_.push_back(at);
      }
    }
    return made.finish();
  }

  Arena& arena_;
  std::vector<std::string>& unknown_;
};

bool is_forbidden_null(const Value& v, const Schema* s) {
  return v.is_null() && s != nullptr && !s->nullable;
}

Value fallback_of(const Schema* s) { return s != nullptr && s->fallback ? *s->fallback : Value::null(); }

}  // namespace

bool is_meta(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

Value prune(Arena& arena, const Value& object, const Schema& schema, std::vector<std::string>& unknown,
            bool resource) {
  Value pruned = Pruner(arena, unknown).prune(object, &schema, "", resource);
  std::sort(unknown.begin(), unknown.end());
  return pruned;
}

Value drop_nulls(Arena& arena, const Value& data, const Schema* schema) {
  if (data.is(Kind::List)) {
    const Schema* items = schema == nullptr ? nullptr : schema->items.get();
    return each_item(arena, data, [&](const Value& item, size_t) { return drop_nulls(arena, item, items); });
  }
  if (!data.is(Kind::Map)) return data;
  MapMaker made(arena, data.size());
  for (const MapEntry& e : data.as_map()) {
    const Schema* s = field_schema(schema, e.key.as_text());
    if (is_forbidden_null(e.value, s) && !s->fallback) continue;
    made.add(e.key, drop_nulls(arena, e.value, s));
  }
  return made.finish();
}

Value fill_defaults(Arena& arena, const Value& data, const Schema* schema) {
  if (schema == nullptr) return data;
  if (data.is(Kind::List)) {
    return each_item(arena, data, [&](const Value& item, size_t) {
      const Schema* s = schema->items.get();
      return fill_defaults(arena, is_forbidden_null(item, s) ? fallback_of(s) : item, s);
    });
  }
  if (!data.is(Kind::Map)) return data;
  MapMaker made(arena, data.size() + schema->properties.size());
  for (const MapEntry& e : data.as_map()) {
    const Schema* s = field_schema(schema, e.key.as_text());
    made.add(e.key, fill_defaults(arena, is_forbidden_null(e.value, s) ? fallback_of(s) : e.value, s));
  }
  for (const auto& [name, property] : schema->properties) {
    Value key = Value::string(name);
    if (property->fallback && find_key(data, key) == nullptr)
      made.add(key, fill_defaults(arena, *property->fallback, property.get()));
  }
  return made.finish();
}

}  // namespace portcullis::crd
