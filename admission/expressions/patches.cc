#include "admission/expressions/patches.h"

#include <map>
#include <mutex>
#include <string>

#include "admission/expressions/native_form.h"
#include "interpreter/functions/dispatch.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/print.h"
#include "interpreter/values/structs.h"

namespace portcullis {
namespace {

constexpr std::string_view kPatchName = "JSONPatch", kObjectName = "Object", kObjectPrefix = "Object.";
constexpr std::string_view kTypeOfType = "type";  // upstream gives type(x) the type of a type

struct PatchValue : Opaque {
  std::string_view op, path, from;
  const Value* value;  // null: not set
};
struct ObjectValue : Opaque {
  std::span<const MapEntry> fields;
};

const PatchValue& patch_of(const Opaque& o) { return static_cast<const PatchValue&>(o); }
const ObjectValue& object_of(const Opaque& o) { return static_cast<const ObjectValue&>(o); }

// --- Object

Value equal_objects(const Opaque& self, const Value& other, Arena& arena) {
  if (!other.is(Kind::Opaque) || other.as_opaque().cls != self.cls) return Value::boolean(false);
  auto mine = object_of(self).fields, theirs = object_of(other.as_opaque()).fields;
  Value a = Value::map(mine.data(), mine.size()), b = Value::map(theirs.data(), theirs.size());
  return equal(a, b, arena);
}

std::string print_fields(std::string_view name, std::span<const MapEntry> fields) {
  std::string out(name);
  out += '{';
  for (const MapEntry& f : fields) {
    if (out.back() != '{') out += ", ";
    out += std::string(f.key.as_text()) + ": " + format_cel(f.value);
  }
  return out + '}';
}

std::string_view print_object(const Opaque& self, Arena& arena) {
  return arena.copy(print_fields(self.cls->type_name, object_of(self).fields));
}

Value object_field(const Opaque& self, std::string_view name, bool test, Arena& arena) {
  Value native = native_object(object_of(self).fields, arena, true);
  if (native.is_error())
    return test ? Value::boolean(false) : make_error(arena, "cannot get field \"" + std::string(name) + "\"");
  const Value* found = find_key(native, Value::string(name));
  if (test) return Value::boolean(found != nullptr);
  return found != nullptr ? *found : Value::null();
}

bool is_empty_object(const Opaque& self) { return object_of(self).fields.empty(); }

Value make_object(const StructForm& form, std::span<const MapEntry> fields, Arena& arena) {
  return Value::opaque(arena.make<ObjectValue>(Opaque{form.values}, fields));
}

// --- JSONPatch

// Accepts the texts of a JSONPatch literal: strings, and values that are strings in Go.
bool as_go_text(const Value& v, std::string_view& out) {
  if (v.is(Kind::Optional) && v.as_optional() != nullptr) return as_go_text(*v.as_optional(), out);
  return (v.is(Kind::String) || v.is(Kind::Type)) && (out = v.as_text(), true);
}

extern const OpaqueClass kPatchClass;

Value make_patch(const StructForm&, std::span<const MapEntry> fields, Arena& arena) {
  PatchValue* patch = arena.make<PatchValue>(PatchValue{{&kPatchClass}, {}, {}, {}, nullptr});
  for (const MapEntry& f : fields) {
    std::string_view name = f.key.as_text();
    if (name == "value") {
      patch->value = arena.make<Value>(f.value);
      continue;
    }
    std::string_view* slot = name == "op"     ? &patch->op
                             : name == "path" ? &patch->path
                             : name == "from" ? &patch->from
                                              : nullptr;
    if (slot == nullptr) return make_error(arena, "unexpected JSONPatchType field: " + std::string(name));
    if (!as_go_text(f.value, *slot)) {
      return make_error(arena, "unexpected type " + std::string(native_type(f.value)) +
                                   " for JSONPatchType '" + std::string(name) + "' field");
    }
  }
  return Value::opaque(patch);
}

Value equal_patches(const Opaque& self, const Value& other, Arena& arena) {
  if (!is_json_patch(other)) return Value::boolean(false);
  const PatchValue &a = patch_of(self), &b = patch_of(other.as_opaque());
  if (a.op != b.op || a.path != b.path || a.from != b.from || (a.value == nullptr) != (b.value == nullptr))
    return Value::boolean(false);
  if (a.value == nullptr) return Value::boolean(true);
  return equal_method(*a.value, *b.value, arena);
}

bool find_in_patch(const Opaque& self, const Value& key, Ask ask, Arena& arena, Value* out) {
  const PatchValue& patch = patch_of(self);
  std::string_view name;
  if (key.is(Kind::String)) {
    name = key.as_text();
    const std::string_view* text = name == "op"     ? &patch.op
                                   : name == "path" ? &patch.path
                                   : name == "from" ? &patch.from
                                                    : nullptr;
    bool there = text != nullptr ? !text->empty() : patch.value != nullptr;
    if (text != nullptr || name == "value") {
      *out = text != nullptr ? Value::string(*text) : there ? *patch.value : Value::null();
      return ask == Ask::Value || there;
    }
  }
  *out = make_error(arena,
                    (ask == Ask::Value ? "unsupported indexer: " : "unsupported field: ") + format_go(key));
  return true;
}

std::span<const MapEntry> set_fields(const PatchValue& patch, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, 4);
  size_t n = 0;
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"op", patch.op}, {"path", patch.path}, {"from", patch.from}};
  for (auto& [name, text] : texts) {
    if (!text.empty()) entries[n++] = {Value::string(name), Value::string(text)};
  }
  if (patch.value != nullptr) entries[n++] = {Value::string("value"), *patch.value};
  return {entries, n};
}

std::string_view print_patch(const Opaque& self, Arena& arena) {
  return arena.copy(print_fields(kPatchName, set_fields(patch_of(self), arena)));
}

constinit const OpaqueClass kPatchClass = {.type_name = kPatchName,
                                           .equal = equal_patches,
                                           .print = print_patch,
                                           .find = find_in_patch,
                                           .type_of = kTypeOfType,
                                           .go_type = "*mutation.JSONPatchVal"};
constexpr StructForm kPatchForm = {{&kStructFormClass}, kPatchName, &kPatchClass, false, make_patch};

// --- types

// One Object type; the class of a value leads to it.
struct ObjectType {
  std::string name;
  const Type* type = nullptr;
  OpaqueClass cls = {};
  StructForm form = {};
};

class PatchTypes final : public TypeProvider {
 public:
  const Type* find_struct(std::string_view name) const override {
    if (name == kPatchName) return patch_;
    return is_object_name(name) ? object(name).type : nullptr;
  }

  const StructForm* find_form(std::string_view name) const override {
    if (name == kPatchName) return &kPatchForm;
    return is_object_name(name) ? &object(name).form : nullptr;
  }

  const Type* find_field(std::string_view struct_name, std::string_view field) const override {
    if (struct_name != kPatchName) return types::kDyn;
    if (field == "op" || field == "path" || field == "from") return types::kString;
    return field == "value" ? types::kDyn : nullptr;
  }

 private:
  static bool is_object_name(std::string_view name) {
    return name == kObjectName || name.starts_with(kObjectPrefix);
  }

  const ObjectType& object(std::string_view name) const {
    std::lock_guard lock(mutex_);
    auto [it, fresh] = objects_.try_emplace(std::string(name));
    ObjectType& o = it->second;
    if (!fresh) return o;
    o.name = name;
    o.type = pool_.structure(name);
    o.cls.type_name = o.name;
    o.cls.equal = equal_objects;
    o.cls.print = print_object;
    o.cls.field = object_field;
    o.cls.is_zero = is_empty_object;
    o.cls.type_of = kTypeOfType;
    o.cls.go_type = "*dynamic.ObjectVal";
    o.form = {{&kStructFormClass}, o.name, &o.cls, true, make_object};
    return o;
  }

  mutable std::mutex mutex_;
  mutable TypePool pool_;
  const Type* patch_ = pool_.structure(kPatchName);
  mutable std::map<std::string, ObjectType, std::less<>> objects_;  // a map: its nodes keep their addresses
};

}  // namespace

const TypeProvider* patch_types() {
  static const PatchTypes types;
  return &types;
}

bool is_json_patch(const Value& v) { return v.is(Kind::Opaque) && v.as_opaque().cls == &kPatchClass; }

bool is_patch_object(const Value& v) {
  return v.is(Kind::Opaque) && v.as_opaque().cls->field == object_field;
}

std::span<const MapEntry> object_fields(const Value& v) { return object_of(v.as_opaque()).fields; }

PatchOperation patch_operation(const Value& v) {
  const PatchValue& patch = patch_of(v.as_opaque());
  return {patch.op, patch.path, patch.from, patch.value};
}

Value patch_fields(const Value& v, Arena& arena) {
  if (is_json_patch(v)) {
    auto fields = set_fields(patch_of(v.as_opaque()), arena);
    return Value::map(fields.data(), fields.size());
  }
  Value native = native_object(object_of(v.as_opaque()).fields, arena, true);
  return native.is_error() ? make_map(alloc_entries(arena, 0), 0) : native;
}

}  // namespace portcullis
