#include "admission/expressions/patches.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "grammar/quote.h"
#include "grammar/utf8.h"
#include "interpreter/functions/dispatch.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"
#include "interpreter/values/native.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

constexpr std::string_view kPatchName = "JSONPatch", kObjectName = "Object", kObjectPrefix = "Object.";
constexpr std::string_view kTypeOfType = "type";  // upstream answers type(x) with the type of a type

struct PatchValue : Opaque {
  std::string_view op, path, from;
  const Value* value;  // null: not set
};
struct ObjectValue : Opaque {
  std::span<const MapEntry> fields;
};

const PatchValue& patch_of(const Opaque& o) { return static_cast<const PatchValue&>(o); }
const ObjectValue& object_of(const Opaque& o) { return static_cast<const ObjectValue&>(o); }

// --- what Go holds

// What %T of a value's native form is.
std::string_view native_type(const Value& v) {
  switch (v.kind()) {
    case Kind::Null: return "structpb.NullValue";
    case Kind::Bool: return "bool";
    case Kind::Int: return "int64";
    case Kind::Uint: return "uint64";
    case Kind::Double: return "float64";
    case Kind::String:
    case Kind::Type: return "string";
    case Kind::Bytes: return "[]uint8";
    case Kind::Timestamp: return "time.Time";
    case Kind::Duration: return "time.Duration";
    case Kind::List: return v.flags() & (kConcatList | kNativeList) ? "[]interface {}" : "[]ref.Val";
    case Kind::Map: return v.flags() & kNativeMap ? "map[string]interface {}" : "map[ref.Val]ref.Val";
    case Kind::Optional: return v.as_optional() != nullptr ? native_type(*v.as_optional()) : "<nil>";
    default: return go_type(v);
  }
}

Value native_form(const Opaque& object, Arena& arena);

// A value after it went through its native form.
Value through_native(const Value& v, Arena& arena) {
  if (v.is(Kind::Type)) return Value::string(v.as_text());
  if (v.is(Kind::Optional))
    return v.as_optional() != nullptr ? through_native(*v.as_optional(), arena) : Value::null();
  return is_patch_object(v) ? native_form(v.as_opaque(), arena) : v;
}

// Upstream's convertField: the elements of lists and maps go through their native forms, deeper ones where Go
// does not hold them as CEL's own. Fails, with the error in `out`, where a map has a key that is no string.
bool convert_field(const Value& v, Arena& arena, Value& out);

// %q of a key that is no string: integers are code points (null is one to Go), what prints itself is quoted.
std::string quoted_key(const Value& key) {
  if (key.is(Kind::Bool) || key.is(Kind::Double))
    return "%!q(" + std::string(go_type(key)) + "=" + format_go(key) + ")";
  if (!key.is(Kind::Int) && !key.is(Kind::Uint) && !key.is(Kind::Null)) return quote(format_go(key));
  uint64_t c = key.is(Kind::Null) ? 0 : key.as_uint();
  if (c == '\'') return R"('\'')";
  if (c == '"') return R"('"')";
  std::string text;
  utf8::append(text, c > 0x10ffff ? 0xfffd : static_cast<char32_t>(c));
  text = quote(text);
  text.front() = text.back() = '\'';
  return text;
}

// What Go holds of a key, if that is a string.
std::optional<Value> native_text(const Value& key) {
  if (key.is(Kind::Type)) return Value::string(key.as_text());
  return key.is(Kind::String) ? std::optional(key) : std::nullopt;
}

bool convert_item(const Value& item, bool deep, Arena& arena, Value* slot) {
  Value converted;
  bool done = true;
  if (deep) done = convert_field(item, arena, converted);
  new (slot) Value(deep ? converted : through_native(item, arena));
  return done;
}

bool convert_entry(const Value& key, const Value& value, bool deep, Arena& arena, MapEntry& out) {
  std::optional<Value> name = native_text(key);
  if (!name) {
    out.value = make_error(
        arena, "map key " + quoted_key(key) + " is of type " + std::string(go_type(key)) + ", not string");
    return false;
  }
  out.key = *name;
  return convert_item(value, deep, arena, &out.value);
}

bool convert_map(const Value& v, Arena& arena, Value& out) {
  MapEntry* entries = alloc_entries(arena, v.size());
  size_t n = 0;
  for (const MapEntry& e : v.as_map()) {
    if (!convert_entry(e.key, e.value, is_go_map(v), arena, entries[n++]))
      return out = entries[n - 1].value, false;
  }
  return out = make_native_map(arena, entries, n), true;
}

bool convert_field(const Value& v, Arena& arena, Value& out) {
  if (v.is(Kind::Optional) && v.as_optional() != nullptr) return convert_field(*v.as_optional(), arena, out);
  if (v.is(Kind::Map)) return convert_map(v, arena, out);
  if (!v.is(Kind::List)) return out = through_native(v, arena), true;
  Value* items = arena.array<Value>(v.size());
  for (size_t i = 0; i < v.size(); ++i) {
    if (!convert_item(v.as_list()[i], v.flags() & (kConcatList | kGoList), arena, &items[i]))
      return out = items[i], false;
  }
  out = Value::list(items, v.size(), kNativeList);
  return true;
}

// The map that Go makes of an Object, or an error.
Value native_form(const Opaque& object, Arena& arena) {
  auto fields = object_of(object).fields;
  MapEntry* entries = alloc_entries(arena, fields.size());
  size_t n = 0;
  for (const MapEntry& f : fields) {
    Value converted;
    if (!convert_field(f.value, arena, converted)) {
      return make_error(arena, "fail to convert field \"" + std::string(f.key.as_text()) +
                                   "\": " + std::string(converted.as_error().message));
    }
    new (&entries[n++]) MapEntry{f.key, converted};
  }
  return make_native_map(arena, entries, n);
}

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
  Value native = native_form(self, arena);
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

// What texts of a literal may be: strings, and what Go holds as such.
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

// What belongs to one Object type; values are known by its class.
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
  mutable std::map<std::string, ObjectType, std::less<>> objects_;  // nodes stay where they are
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

Value patch_fields(const Value& v, Arena& arena) {
  if (is_json_patch(v)) {
    auto fields = set_fields(patch_of(v.as_opaque()), arena);
    return Value::map(fields.data(), fields.size());
  }
  Value native = native_form(v.as_opaque(), arena);
  return native.is_error() ? make_map(arena, alloc_entries(arena, 0), 0) : native;
}

}  // namespace portcullis
