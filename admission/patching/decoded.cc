#include "admission/patching/decoded.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/builtin/defaults.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/internal_version.h"
#include "admission/patching/edited.h"
#include "admission/scalars/group_version.h"
#include "grammar/powers.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/member.h"

namespace portcullis::patching {
namespace {

using builtin::FieldRow;
using builtin::json_word;
using builtin::StructRow;

constexpr size_t kMostReported = 100;  // sigs.k8s.io/json keeps no more strict errors

Patched strict_error(Arena& arena, const std::vector<builtin::UnknownField>& unknown) {
  TextBuilder text(arena);
  text.append("strict decoding error: ");
  for (size_t i = 0; i < std::min(unknown.size(), kMostReported); ++i) {
    if (i != 0) text.append(", ");
    text.append(unknown[i].text());
  }
  return internal_error(arena, text.view());
}

builtin::DecodeOptions options_for(Parts parts) {
  builtin::DecodeOptions options;
  options.may_stand = true;
  options.marked_stand = parts == Parts::MarkedAreComplete;
  return options;
}

// Converts plain data to structs as FromUnstructured of apimachinery pkg/runtime does where a JSON decoder
// would fail: numbers are truncated, and errors name no field. It visits fields in the order of the structs.
class Loose {
 public:
  explicit Loose(Arena& arena) : arena_(arena) {}

  Value structure(const StructRow& row, const Value& data) {
    if (!data.is(Kind::Map)) return data;
    MapEntry* entries = alloc_entries(arena_, data.size());
    size_t n = 0;
    for (const MapEntry& e : data.as_map()) new (&entries[n++]) MapEntry{e.key, e.value};
    for (const FieldRow& f : fields_of(row)) {
      auto* found = std::find_if(entries, entries + n,
                                 [&](const MapEntry& e) { return same_text(e.key, builtin::key_of(f)); });
      if (found != entries + n && error_.empty()) found->value = field(row, f, found->value);
    }
    return make_map(entries, n);
  }

  std::string_view error() const { return error_; }

 private:
  Value field(const StructRow& row, const FieldRow& f, const Value& v) {
    if (f.shape == builtin::kOne) return one(row, f, v);
    if (v.is(Kind::List) && f.shape == builtin::kList) {
      Value* items = arena_.array<Value>(v.size());
      for (size_t i = 0; i < v.size(); ++i) new (&items[i]) Value(one(row, f, v.as_list()[i]));
      return Value::list(items, v.size());
    }
    if (!v.is(Kind::Map) || f.shape != builtin::kMap) return v;
    MapEntry* entries = alloc_entries(arena_, v.size());
    for (size_t i = 0; i < v.size(); ++i)
      new (&entries[i]) MapEntry{v.as_map()[i].key, one(row, f, v.as_map()[i].value)};
    return make_map(entries, v.size());
  }

  Value one(const StructRow& row, const FieldRow& f, const Value& v) {
    if (v.is_null() || !error_.empty()) return v;
    if (f.scalar == builtin::kStruct) return structure(builtin::struct_at(f.structure), v);
    if (f.scalar == builtin::kInt32 || f.scalar == builtin::kInt64) return integer(f, v);
    decodes(row, f, v);
    return v;
  }

  Value integer(const FieldRow& f, const Value& v) {
    bool narrow = f.scalar == builtin::kInt32;
    if (v.is(Kind::Int))
      return narrow ? Value::integer(static_cast<int32_t>(static_cast<uint64_t>(v.as_int()))) : v;
    if (!v.is(Kind::Double)) return v;
    double d = v.as_double();
    if (d != std::trunc(d)) {
      error_ = narrow ? "cannot convert float64 to int32" : "cannot convert float64 to int64";
      return v;
    }
    bool fits = d >= -kTwoTo63 && d < kTwoTo63;
    return integer(f, Value::integer(fits ? static_cast<int64_t>(d) : INT64_MIN));
  }

  // Decodes the value alone: types with their own decoder use it here, too.
  void decodes(const StructRow& row, const FieldRow& f, const Value& v) {
    MapEntry* entry = alloc_entries(arena_, 1);
    Value data = v;
    if (f.shape != builtin::kOne) {
      MapEntry* inner = alloc_entries(arena_, 1);
      new (inner) MapEntry{Value::string("x"), v};
      data = f.shape == builtin::kList ? Value::list(arena_.make<Value>(v), 1) : make_map(inner, 1);
    }
    new (entry) MapEntry{builtin::key_of(f), data};
    std::string error = builtin::decode(arena_, row, make_map(entry, 1), {}).error;
    if (error.empty()) return;
    TextBuilder text(arena_);
    if (f.scalar == builtin::kBase64) text.append("error decoding from json: ");
    size_t named = error.find(" into Go struct field "), of = error.find(" of type ");
    if (named != error.npos && of != error.npos) {
      text.append(std::string_view(error).substr(0, named));
      text.append(" into Go value of type ");
      text.append(std::string_view(error).substr(of + 9));
    } else {
      text.append(error);
    }
    error_ = text.view();
  }

  Arena& arena_;
  std::string_view error_;
};

}  // namespace

builtin::TypeMeta kind_in_patched(Arena& arena, const Value& object) {
  if (!object.is(Kind::Map)) return builtin::read_type_meta(object);
  MapEntry* entries = alloc_entries(arena, object.size());
  std::ranges::uninitialized_copy(object.as_map(), std::span(entries, object.size()));
  sort_members(entries, object.size());
  return builtin::read_type_meta(Value::map(entries, object.size()));
}

Patched decoded_strictly(Arena& arena, const StructRow& row, const Value& object, Parts parts) {
  std::vector<builtin::UnknownField> unknown;
  builtin::DecodeOptions options = options_for(parts);
  options.unknown = &unknown;
  builtin::Decoded decoded = builtin::decode(arena, row, object, options);
  if (!decoded.error.empty()) return internal_error(arena, decoded.error);
  if (!unknown.empty()) return strict_error(arena, unknown);
  builtin::apply_defaults(arena, *decoded.object, {});
  return {.object = builtin::encode(arena, *decoded.object)};
}

Patched decoded_leniently(Arena& arena, const StructRow& row, const Value& object) {
  builtin::Decoded decoded = builtin::decode(arena, row, object, options_for(Parts::Any));
  if (!decoded.error.empty()) return internal_error(arena, decoded.error);
  return {.object = builtin::encode(arena, *decoded.object)};
}

Value completed(Arena& arena, const StructRow& row, const Value& object) {
  builtin::Decoded decoded = builtin::decode(arena, row, object, options_for(Parts::Any));
  builtin::apply_defaults(arena, *decoded.object, {});
  return builtin::encode(arena, *decoded.object);
}

Patched decoded_loosely(Arena& arena, const StructRow& row, const Value& object, Parts parts) {
  builtin::DecodeOptions options = options_for(parts);
  builtin::Decoded decoded = builtin::decode(arena, row, object, options);
  if (!decoded.error.empty()) {
    Loose loose(arena);
    Value converted = loose.structure(row, object);
    if (loose.error().empty()) decoded = builtin::decode(arena, row, converted, options);
    std::string_view error = loose.error().empty() ? std::string_view(decoded.error) : loose.error();
    if (!error.empty()) {
      return refused(
          arena, {"unable to convert unstructured object to ",
                  kind_text(text_member(object, "apiVersion"), text_member(object, "kind")), ": ", error});
    }
  }
  builtin::apply_defaults(arena, *decoded.object, {});
  return {.object = builtin::encode(arena, *decoded.object)};
}

Patched through_internal(Arena& arena, const StructRow& row, const Value& object) {
  if (!builtin::has_internal_changes(row)) return {.object = object};  // decoding it again changes nothing
  builtin::Decoded decoded = builtin::decode(arena, row, object, options_for(Parts::MarkedAreComplete));
  std::string error = std::move(decoded.error);
  if (error.empty()) error = builtin::pass_through_internal(arena, *decoded.object);
  if (!error.empty()) return refused(arena, {error});
  return {.object = builtin::encode(arena, *decoded.object)};
}

Value over_former(Arena& arena, const StructRow& row, const Value& object, const Value& former) {
  const builtin::Decoded made = builtin::decode(arena, row, object, options_for(Parts::MarkedAreComplete));
  const builtin::Decoded held = builtin::decode(arena, row, former, options_for(Parts::MarkedAreComplete));
  if (!made.error.empty() || !held.error.empty()) return object;
  builtin::keep_of_internal(arena, *made.object, *held.object);
  return builtin::encode(arena, *made.object);
}

}  // namespace portcullis::patching
