#include "admission/builtin/encode.h"

#include <algorithm>
#include <vector>

#include "interpreter/values/map.h"
#include "interpreter/values/native.h"

namespace portcullis::builtin {
namespace {

// The marks for lists, maps and structs: none inside a type that marshals itself.
struct Marks {
  uint8_t list = kGoList, map = kGoMap, structure = kGoStruct;
  bool empty = false;  // whether lists and maps without content are written, too

  Value marked(const Value& fields, const StructRow& row) const {
    return structure == kGoStruct ? as_struct(fields, row) : fields.with_more_flags(structure);
  }
};
constexpr Marks kPlainMarks = {kNativeList, kNativeMap, kNativeMap},
                kPresentMarks = {kGoList, kGoMap, kGoStruct, true};

Value encode_struct(Arena& arena, const Object& object, Marks marks);
Value encode_field(Arena& arena, const FieldRow& f, const Value& v, Marks marks);
Value encode_value(Arena& arena, const FieldRow& f, const Value& v, Marks marks);

// Field names are distinct, so only a large map, which needs an index, goes through make_map.
Value map_of_fields(MapEntry* entries, size_t count) {
  return count <= kIndexThreshold ? Value::map(entries, count) : make_map(entries, count);
}

// Marks an unchanged struct and its parts. Most hold no lists or maps and already have the mark: see
// decode.cc.
Value mark_struct(Arena& arena, const StructRow& row, const Value& data, Marks marks) {
  if (marks.structure == 0 || (data.flags() & kGoStruct)) return data;
  MapEntry* entries = alloc_entries(arena, data.size());
  int expected = 0;
  size_t count = 0;
  for (const MapEntry& e : data.as_map()) {
    int i = field_index_near(row, e.key, expected);
    expected = i + 1;
    bool holds = e.value.is(Kind::Map) || e.value.is(Kind::List);
    entries[count++] = {e.key,
                        holds ? encode_field(arena, kFieldRows[row.first + i], e.value, marks) : e.value};
  }
  return marks.marked(map_of_fields(entries, count), row);
}

Value encode_list(Arena& arena, const FieldRow& f, const Value& list, Marks marks) {
  if (f.scalar == kText || f.scalar == kInt32 || f.scalar == kInt64 || f.scalar == kBoolean)
    return list.with_more_flags(marks.list);
  std::span<const Value> items = list.as_list();
  auto marked = [](const Value& v) { return v.is(Kind::Map) && (v.flags() & kGoStruct); };
  if (f.scalar == kStruct && marks.structure == kGoStruct && std::ranges::all_of(items, marked))
    return list.with_more_flags(marks.list);
  Value* made = arena.array<Value>(items.size());
  for (size_t i = 0; i < items.size(); ++i) new (&made[i]) Value(encode_value(arena, f, items[i], marks));
  return Value::list(made, items.size()).with_more_flags(marks.list);
}

Value encode_map(Arena& arena, const FieldRow& f, const Value& map, Marks marks) {
  if (f.shape == kMap && (f.scalar == kText || f.scalar == kQuantity)) return map.with_more_flags(marks.map);
  std::span<const MapEntry> entries = map.as_map();
  MapEntry* made = alloc_entries(arena, entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const Value& v = entries[i].value;
    Value item = f.shape == kMap ? encode_value(arena, f, v, marks)
                 : is_absent(v)  ? Value::null()
                                 : encode_list(arena, f, v, marks);
    new (&made[i]) MapEntry{entries[i].key, item};
  }
  return make_map(made, entries.size()).with_more_flags(marks.map);
}

// Encodes an item, or a field of shape kOne.
Value encode_value(Arena& arena, const FieldRow& f, const Value& v, Marks marks) {
  if (f.scalar == kSchemaOr) marks = {0, 0, 0, marks.empty};
  if (is_object(v)) return encode_struct(arena, as_object(v), marks);
  if (f.scalar == kStruct && v.is(Kind::Map)) return mark_struct(arena, struct_at(f.structure), v, marks);
  if (f.scalar == kSchemaOr && v.is(Kind::List)) return encode_list(arena, f, v, marks);
  if (!is_absent(v)) return v;
  if (f.flags & kPointer) return Value::null();
  switch (f.scalar) {
    case kText: return Value::string("");
    case kBoolean: return Value::boolean(false);
    case kInt32:
    case kInt64:
    case kIntOrString: return Value::integer(0);
    case kDouble: return Value::real(0);
    case kQuantity: return Value::string("0");
    default: return Value::null();
  }
}

// Go's isEmpty for a field with omitempty: of an absent value, and of a present one.
bool is_empty_absent(const FieldRow& f) {
  return f.shape != kOne || (f.flags & kPointer) || f.scalar == kText || f.scalar == kBoolean ||
         f.scalar == kInt32 || f.scalar == kInt64 || f.scalar == kBase64;
}

bool is_empty(const FieldRow& f, const Value& v) {
  if (f.shape == kOne && (f.flags & kPointer)) return false;
  switch (v.kind()) {
    case Kind::String: return (f.scalar == kText || f.scalar == kBase64) && v.size() == 0;
    case Kind::List:
    case Kind::Map: return f.shape != kOne && v.size() == 0;
    case Kind::Bool: return f.scalar == kBoolean && !v.as_bool();
    case Kind::Int: return (f.scalar == kInt32 || f.scalar == kInt64) && v.as_int() == 0;
    default: return false;
  }
}

// Whether a present value is omitted.
bool is_left_out(const FieldRow& f, const Value& v) {
  if ((f.flags & kOmitEmpty) && is_empty(f, v)) return true;
  return (f.flags & kOmitZero) && v.is_null();
}

// How to encode a present field.
enum class Way : uint8_t {
  AsIs,
  UnlessEmpty,  // as it is, but an empty text is omitted
  UnlessZero,   // as it is, but zero and false are omitted
  Struct,
  Other,  // is_left_out() and encode_field() decide
};
struct FieldWay {
  Way way = Way::Other;
  bool left_out_absent = false;
};

Way way_of(const FieldRow& f) {
  if (f.shape != kOne || (f.flags & kOmitZero) || f.scalar == kSchemaOr) return Way::Other;
  if (f.scalar == kStruct) return Way::Struct;
  if (!(f.flags & kOmitEmpty) || (f.flags & kPointer)) return Way::AsIs;
  if (f.scalar == kText || f.scalar == kBase64) return Way::UnlessEmpty;
  return f.scalar == kBoolean || f.scalar == kInt32 || f.scalar == kInt64 ? Way::UnlessZero : Way::AsIs;
}

// The way of each field of the table; computed once.
const std::vector<FieldWay>& field_ways() {
  static const std::vector<FieldWay> all = [] {
    std::vector<FieldWay> made;
    for (const StructRow& row : all_structs()) {
      made.resize(std::max<size_t>(made.size(), row.first + row.count));
      for (size_t i = row.first; i < row.first + row.count; ++i)
        made[i] = {way_of(kFieldRows[i]), is_left_out_absent(kFieldRows[i])};
    }
    return made;
  }();
  return all;
}

Value encode_field(Arena& arena, const FieldRow& f, const Value& v, Marks marks) {
  if (f.shape == kOne) return encode_value(arena, f, v, marks);
  if (is_absent(v)) return Value::null();
  return f.shape == kList ? encode_list(arena, f, v, marks) : encode_map(arena, f, v, marks);
}

Value encode_struct(Arena& arena, const Object& object, Marks marks) {
  const size_t first = object.row->first, fields = object.row->count;
  const FieldWay* ways = field_ways().data() + first;
  const Value* keys = kFieldKeys + first;
  MapEntry* entries = alloc_entries(arena, fields);
  size_t count = 0;
  for (size_t i = 0; i < fields; ++i) {
    const Value& v = object.slots[i];
    if (is_absent(v)) {
      if (!ways[i].left_out_absent)
        entries[count++] = {keys[i], encode_field(arena, kFieldRows[first + i], v, marks)};
      continue;
    }
    Value data = v;
    switch (ways[i].way) {
      case Way::AsIs: break;
      case Way::UnlessEmpty:
        if (v.size() == 0) continue;
        break;
      case Way::UnlessZero:
        if (v.raw_payload() == 0) continue;
        break;
      case Way::Struct:
        data = is_object(v) ? encode_struct(arena, as_object(v), marks)
                            : mark_struct(arena, struct_at(kFieldRows[first + i].structure), v, marks);
        break;
      case Way::Other:
        if (is_left_out(kFieldRows[first + i], v) && !(marks.empty && (v.is(Kind::List) || v.is(Kind::Map))))
          continue;
        data = encode_field(arena, kFieldRows[first + i], v, marks);
    }
    entries[count++] = {keys[i], data};
  }
  return marks.marked(map_of_fields(entries, count), *object.row);
}

}  // namespace

bool is_left_out_absent(const FieldRow& f) {
  return ((f.flags & kOmitEmpty) && is_empty_absent(f)) || (f.flags & kOmitZero);
}

Value encode(Arena& arena, const Object& object) { return encode_struct(arena, object, {}); }
Value encode_plain(Arena& arena, const Object& object) { return encode_struct(arena, object, kPlainMarks); }
Value encode_present(Arena& arena, const Object& object) {
  return encode_struct(arena, object, kPresentMarks);
}

}  // namespace portcullis::builtin
