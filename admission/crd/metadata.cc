#include "admission/crd/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "admission/builtin/access.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/registry.h"
#include "admission/builtin/system_metadata.h"
#include "admission/builtin/time.h"
#include "admission/policies/object_metadata.h"
#include "admission/policies/validation.h"
#include "admission/scalars/names.h"
#include "grammar/quote.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"
#include "interpreter/values/native.h"

namespace portcullis::crd {
namespace {

// Builds a copy of the object where metadata changes.
class Coercer {
 public:
  Coercer(Arena& arena, std::vector<std::string>& unknown, MetadataError& error)
      : arena_(arena), unknown_(unknown), error_(error) {}

  Value coerce(const Value& v, const Schema* s, const std::string& path, bool resource) {
    if ((s == nullptr && !resource) || !error_.empty()) return v;
    if (v.is(Kind::List)) {
      if (s->items == nullptr) return v;
      Value* items = arena_.array<Value>(v.size());
      for (size_t i = 0; i < v.size(); ++i) {
        new (&items[i])
            Value(coerce(v.as_list()[i], s->items.get(), index(path, i), s->items->embedded_resource));
      }
      return Value::list(items, v.size(), kNativeList);
    }
    return v.is(Kind::Map) ? coerce_map(v, s, path, resource) : v;
  }

 private:
  Value coerce_map(const Value& v, const Schema* s, const std::string& path, bool resource) {
    MapEntry* entries = alloc_entries(arena_, v.size());
    size_t n = 0;
    for (const MapEntry& e : v.as_map()) {
      std::string_view name = e.key.as_text();
      bool type = name == "apiVersion" || name == "kind";
      if (resource && !path.empty() && type && !e.value.is(Kind::String))
        fail(child(path, name), e.value, "must be a string");
      if (resource && name == "metadata") {
        new (&entries[n++]) MapEntry{e.key, metadata(e.value, path)};
        continue;
      }
      const Schema* below = s->property(name);
      bool property = below != nullptr;
      if (!property) below = s->additional.get();
      std::string at = property || path.empty() ? child(path, name) : fmt::format("{}[{}]", path, name);
      new (&entries[n++])
          MapEntry{e.key, coerce(e.value, below, at, below != nullptr && below->embedded_resource)};
    }
    return make_native_map(entries, n);
  }

  Value metadata(const Value& v, const std::string& path) {
    std::vector<builtin::UnknownField> unknown;
    builtin::Decoded decoded = decode_metadata(arena_, v, &unknown);
    if (!decoded.error.empty()) {
      const std::string at = child(path, "metadata");
      if (path.empty()) error_.text = decoded.error;
      if (!path.empty()) fail(at, v, decoded.error);
      error_.path = child(at, decoded.error_path);
      return v;
    }
    for (const builtin::UnknownField& f : unknown) unknown_.push_back(child(path, "metadata.") + f.path);
    return builtin::encode_plain(arena_, *decoded.object);
  }

  void fail(const std::string& path, const Value& v, std::string_view text) {
    FieldErrors errors;
    errors.invalid_data(path, v, text);
    error_ = {errors.list[0].message, path};
  }

  Arena& arena_;
  std::vector<std::string>& unknown_;
  MetadataError& error_;
};

// Fields that an update keeps.
constexpr std::string_view kKept[] = {"creationTimestamp", "deletionTimestamp"},
                           kKeptIfAbsent[] = {"uid", "deletionGracePeriodSeconds"};

Value completed(Arena& arena, const Value& metadata, const Value* old, int64_t generation) {
  std::vector<std::pair<std::string_view, Value>> added;
  if (generation != 0) added.emplace_back("generation", Value::integer(generation));
  const Value *name = find_member(metadata, "name"), *prefix = find_member(metadata, "generateName");
  if (old == nullptr && name == nullptr && prefix != nullptr && prefix->is(Kind::String)) {
    added.emplace_back("name", Value::string(builtin::generated_name(arena, prefix->as_text())));
  }
  if (old == nullptr) {
    added.emplace_back("uid", Value::string(builtin::kUid));
    added.emplace_back("creationTimestamp", Value::string(builtin::time_now(arena)));
  }
  for (std::string_view name : kKept) {
    const Value* was = old == nullptr ? nullptr : find_member(*old, name);
    if (was != nullptr) added.emplace_back(name, *was);
  }
  for (std::string_view name : kKeptIfAbsent) {
    const Value* was = old == nullptr ? nullptr : find_member(*old, name);
    if (was != nullptr && find_member(metadata, name) == nullptr) added.emplace_back(name, *was);
  }
  MapEntry* entries = alloc_entries(arena, metadata.size() + added.size());
  size_t n = 0;
  for (const MapEntry& e : metadata.as_map()) {
    auto replaced = [&](const auto& a) { return a.first == e.key.as_text(); };
    if (e.key.as_text() != "generation" && std::none_of(added.begin(), added.end(), replaced))
      new (&entries[n++]) MapEntry{e.key, e.value};
  }
  for (const auto& [name, value] : added) new (&entries[n++]) MapEntry{Value::string(name), value};
  return make_native_map(entries, n);
}

// Go's name of the kind of unstructured data.
std::string_view kind_name(const Value& v) {
  switch (v.kind()) {
    case Kind::Map: return "map";
    case Kind::List: return "slice";
    case Kind::String: return "string";
    case Kind::Bool: return "bool";
    case Kind::Int: return "int64";
    default: return "float64";
  }
}

std::string misfit(const Value& v, const builtin::StructRow& row);

// The error of a value for a field without lists and maps around it.
std::string misfit_of_one(const Value& v, const builtin::FieldRow& field) {
  if (v.is_null()) return {};
  switch (field.scalar) {
    case builtin::kStruct:
      if (!v.is(Kind::Map)) return fmt::format("cannot restore struct from: {}", kind_name(v));
      return misfit(v, builtin::struct_at(field.structure));
    case builtin::kText:
      if (v.is(Kind::String)) return {};
      // Go can convert integers to strings, which JSON does not mean.
      if (v.is(Kind::Int)) return fmt::format("cannot convert int64 to {}", builtin::text_at(field.go_item));
      return "unrecognized type: string";
    case builtin::kBoolean: return v.is(Kind::Bool) ? "" : "unrecognized type: bool";
    case builtin::kInt64:
      if (v.is(Kind::Int) || (v.is(Kind::Double) && v.as_double() == std::trunc(v.as_double()))) return {};
      return v.is(Kind::Double) ? "cannot convert float64 to int64" : "unrecognized type: int64";
    default: return {};
  }
}

std::string misfit(const Value& v, const builtin::StructRow& row) {
  for (const builtin::FieldRow& field : builtin::fields_of(row)) {
    const Value* part = find_key(v, builtin::key_of(field));
    if (part == nullptr || part->is_null()) continue;
    std::string error;
    auto add = [&](const Value& item) {
      if (error.empty()) error = misfit_of_one(item, field);
    };
    if (field.shape == builtin::kOne) {
      add(*part);
    } else if (!part->is(field.shape == builtin::kList ? Kind::List : Kind::Map)) {
      return fmt::format("cannot restore {} from {}", field.shape == builtin::kList ? "slice" : "map",
                         kind_name(*part));
    } else if (field.shape == builtin::kList) {
      std::ranges::for_each(part->as_list(), add);
    } else {
      std::ranges::for_each(part->as_map(), add, &MapEntry::value);
    }
    if (!error.empty()) return error;
  }
  return {};
}

bool same_besides_metadata(const Value& a, const Value& b) {
  auto differs = [](const Value& x, const Value& y) {
    return std::any_of(x.as_map().begin(), x.as_map().end(), [&](const MapEntry& e) {
      const Value* other = find_key(y, e.key);
      return e.key.as_text() != "metadata" && (other == nullptr || !same_data(e.value, *other));
    });
  };
  return !differs(a, b) && !differs(b, a);
}

}  // namespace

Value coerce_metadata(Arena& arena, const Value& object, const Schema& schema,
                      std::vector<std::string>& unknown, MetadataError& error, const std::string& path,
                      bool resource) {
  size_t before = unknown.size();
  Value made = Coercer(arena, unknown, error).coerce(object, &schema, path, resource);
  std::sort(unknown.begin() + static_cast<ptrdiff_t>(before), unknown.end());
  return made;
}

std::string conversion_error(Arena& arena, const Value& metadata) {
  if (metadata.is_null()) return {};
  if (!metadata.is(Kind::Map)) {
    return fmt::format("expected map[string]interface{{}}, got {}",
                       metadata.is(Kind::List) ? "[]interface {}" : kind_name(metadata));
  }
  std::string error = misfit(metadata, *builtin::find_struct(builtin::kObjectMeta));
  return !error.empty() ? error : decode_metadata(arena, metadata).error;
}

Value wipe_metadata(Arena& arena, const Value& object, bool created, bool mutated,
                    std::vector<std::string>& warnings) {
  const Value* given = find_member(object, "metadata");
  if (given == nullptr || !given->is(Kind::Map)) return object;
  Value made = created ? builtin::without_system_fields(arena, *given) : *given;
  bool changed = made.size() != given->size();
  if (const Value* owners = find_member(made, "ownerReferences");
      owners != nullptr && owners->is(Kind::List)) {
    const Value kept = builtin::distinct_owners(arena, *owners, mutated, &warnings);
    changed |= kept.size() != owners->size();
    if (kept.size() != owners->size()) made = with_member(arena, made, "ownerReferences", kept);
  }
  return changed ? with_member(arena, object, "metadata", made) : object;
}

Value complete_metadata(Arena& arena, const Value& object, const Value* old) {
  int64_t generation = 1;
  const Value* before = old == nullptr ? nullptr : find_member(*old, "metadata");
  if (old != nullptr)
    generation = Data(metadata_of(arena, *old))["generation"].number + !same_besides_metadata(object, *old);
  MapEntry* entries = alloc_entries(arena, object.size());
  size_t n = 0;
  for (const MapEntry& e : object.as_map()) {
    bool here = e.key.as_text() == "metadata" && e.value.is(Kind::Map);
    new (&entries[n++]) MapEntry{e.key, here ? completed(arena, e.value, before, generation) : e.value};
  }
  return make_native_map(entries, n);
}

void check_embedded_metadata(const Value& resource, const std::string& path, FieldErrors& errors) {
  const Value* given = find_member(resource, "metadata");
  if (given == nullptr) return;
  Arena arena;
  const builtin::Decoded decoded = decode_metadata(arena, *given);
  if (!decoded.error.empty())  // a mutation may have left it so
    return errors.invalid_data(child(path, "metadata"), *given, decoded.error);
  builtin::Object& metadata = *decoded.object;
  if (builtin::text(metadata, "name").empty()) builtin::set(metadata, "name", Value::string("fakename"));
  FieldErrors found;
  validate_metadata(Data(metadata), NameRule::PathSegment, found,
                    !builtin::text(metadata, "namespace").empty());
  for (FieldError& e : found.list) {
    e.field = child(path, e.field);
    e.message = child(path, e.message);
    errors.list.push_back(std::move(e));
  }
}

void warn_of_finalizers(const Value& object, const Value* old, std::vector<std::string>& warnings) {
  Arena arena;
  const Data now(metadata_of(arena, object)),
      before = old == nullptr ? Data() : Data(metadata_of(arena, *old));
  std::set<std::string_view> added;
  for (const Data& f : now["finalizers"].items) added.insert(f.text);
  if (old != nullptr) {
    for (const Data& f : before["finalizers"].items) added.erase(f.text);
  }
  for (std::string_view f : added) {
    std::string start = fmt::format("metadata.finalizers: {}: ", quote(f));
    for (const std::string& message : names::label_key(f)) warnings.push_back(start + message);
    if (f.find('/') != f.npos || f == "orphan" || f == "foregroundDeletion" || f == "kubernetes") continue;
    std::string_view path = f.find('.') != f.npos ? " including a path (/)" : "";
    warnings.push_back(
        fmt::format("{}prefer a domain-qualified finalizer name{} to avoid accidental conflicts with other "
                    "finalizer writers",
                    start, path));
  }
}

}  // namespace portcullis::crd
