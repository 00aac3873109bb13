#include "admission/builtin/encode.h"

#include <algorithm>
#include <vector>

#include "interpreter/map.h"

namespace portcullis::builtin {
namespace {

// Whether lists, maps and structs are marked: not within what marshals itself.
struct Marks {
  uint8_t list = kGoList, map = kGoMap, structure = kGoStruct;
};
constexpr Marks kNoMarks = {0, 0, 0};

Value encode_struct(Arena& arena, const Object& object, Marks marks);
Value encode_value(Arena& arena, const FieldRow& f, const Value& v, Marks marks);

Value encode_list(Arena& arena, const FieldRow& f, const Value& list, Marks marks) {
  if (f.scalar == kText || f.scalar == kInt32 || f.scalar == kInt64 || f.scalar == kBoolean) return list.with_flags(marks.list);
  std::span<const Value> items = list.as_list();
  Value* made = arena.array<Value>(items.size());
  for (size_t i = 0; i < items.size(); ++i) new (&made[i]) Value(encode_value(arena, f, items[i], marks));
  return Value::list(made, items.size(), marks.list);
}

Value encode_map(Arena& arena, const FieldRow& f, const Value& map, Marks marks) {
  if (f.shape == kMap && (f.scalar == kText || f.scalar == kQuantity)) return map.with_flags(marks.map);
  std::span<const MapEntry> entries = map.as_map();
  MapEntry* made = alloc_entries(arena, entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const Value& v = entries[i].value;
    Value item = f.shape == kMap ? encode_value(arena, f, v, marks)
                 : is_absent(v)  ? Value::null()
                                 : encode_list(arena, f, v, marks);
    new (&made[i]) MapEntry{entries[i].key, item};
  }
  return make_map(arena, made, entries.size()).with_flags(marks.map);
}

// An item, or a field of shape kOne.
Value encode_value(Arena& arena, const FieldRow& f, const Value& v, Marks marks) {
  if (f.scalar == kSchemaOr) marks = kNoMarks;
  if (is_object(v)) return encode_struct(arena, as_object(v), marks);
  if (f.scalar == kSchemaOr && v.is(Kind::List)) return encode_list(arena, f, v, marks);
  if (!is_absent(v)) return v;
  if (f.flags & kPointer) return Value::null();
  switch (f.scalar) {
    case kText: return Value::string("");
    case kBoolean: return Value::boolean(false);
    case kInt32: case kInt64: case kIntOrString: return Value::integer(0);
    case kDouble: return Value::real(0);
    case kQuantity: return Value::string("0");
    default: return Value::null();
  }
}

// Go's isEmpty, for a field with omitempty: one that is absent, and one that is there.
bool is_empty_absent(const FieldRow& f) {
  return f.shape != kOne || (f.flags & kPointer) || f.scalar == kText || f.scalar == kBoolean ||
                           f.scalar == kInt32 || f.scalar == kInt64 || f.scalar == kBase64;
}

bool is_empty(const FieldRow& f, const Value& v) {
  if (f.shape == kOne && (f.flags & kPointer)) return false;
  switch (v.kind()) {
    case Kind::String: return (f.scalar == kText || f.scalar == kBase64) && v.size() == 0;
    case Kind::List: case Kind::Map: return f.shape != kOne && v.size() == 0;
    case Kind::Bool: return f.scalar == kBoolean && !v.as_bool();
    case Kind::Int: return (f.scalar == kInt32 || f.scalar == kInt64) && v.as_int() == 0;
    default: return false;
  }
}

// For each field of the table, whether it is left out where it is absent; made once.
const std::vector<uint8_t>& left_out_absent() {
  static const std::vector<uint8_t> all = [] {
    std::vector<uint8_t> made;
    for (const StructRow& row : all_structs()) {
      made.resize(std::max<size_t>(made.size(), row.first + row.count));
      for (size_t i = row.first; i < row.first + row.count; ++i) {
        const FieldRow& f = kFieldRows[i];
        made[i] = ((f.flags & kOmitEmpty) && is_empty_absent(f)) || (f.flags & kOmitZero);
      }
    }
    return made;
  }();
  return all;
}

// Of a value that is there.
bool is_left_out(const FieldRow& f, const Value& v) {
  if ((f.flags & kOmitEmpty) && is_empty(f, v)) return true;
  return (f.flags & kOmitZero) && v.is_null();
}

Value encode_struct(Arena& arena, const Object& object, Marks marks) {
  std::span<const FieldRow> fields = fields_of(*object.row);
  MapEntry* entries = alloc_entries(arena, fields.size());
  size_t count = 0;
  const uint8_t* absent_out = left_out_absent().data() + object.row->first;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Value& v = object.slots[i];
    if (is_absent(v) && absent_out[i]) continue;
    const FieldRow& f = fields[i];
    if (!is_absent(v) && is_left_out(f, v)) continue;
    Value data = f.shape == kOne      ? encode_value(arena, f, v, marks)
                 : is_absent(v)       ? Value::null()
                 : f.shape == kList   ? encode_list(arena, f, v, marks)
                                      : encode_map(arena, f, v, marks);
    new (&entries[count++]) MapEntry{key_of(f), data};
  }
  // Names of fields differ, so that only large maps, which get an index, need make_map.
  Value map = count <= kIndexThreshold ? Value::map(entries, count) : make_map(arena, entries, count);
  return map.with_flags(marks.structure, marks.structure != 0 ? go_type_of(*object.row) : 0);
}

}  // namespace

Value encode(Arena& arena, const Object& object) { return encode_struct(arena, object, {}); }
Value encode_plain(Arena& arena, const Object& object) { return encode_struct(arena, object, kNoMarks); }

}  // namespace portcullis::builtin
