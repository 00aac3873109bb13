#include "admission/builtin/data.h"

#include <algorithm>

#include "admission/builtin/encode.h"
#include "admission/scalars/quantity.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"

namespace portcullis {
namespace {

// Absent, or a time with Go's zero value, which is null.
bool is_nil(const Value& v) { return builtin::is_absent(v) || v.is_null(); }

// Whether the value is Go's zero value of a field that is no pointer.
bool is_zero(const Value& v) {
  switch (v.kind()) {
    case Kind::String: return v.size() == 0;
    case Kind::Bool: return !v.as_bool();
    case Kind::Int: return v.as_int() == 0;
    default: return false;
  }
}

class Comparison {
 public:
  explicit Comparison(bool nil_is_empty) : nil_is_empty_(nil_is_empty) {}

  // `field`: the row of the slots; null for items.
  bool equal(const Value& a, const Value& b, const builtin::FieldRow* field) const {
    if (is_nil(a) || is_nil(b)) {
      const Value& other = is_nil(a) ? b : a;
      if (is_nil(other)) return true;
      if (other.is(Kind::List) || other.is(Kind::Map)) return nil_is_empty_ && other.size() == 0;
      bool pointer = field != nullptr && (field->flags & builtin::kPointer);
      return !pointer && is_zero(other);
    }
    if (builtin::is_object(a) && builtin::is_object(b))
      return structs(builtin::as_object(a), builtin::as_object(b));
    const bool quantities = nil_is_empty_ && field != nullptr && field->scalar == builtin::kQuantity;
    if (quantities && a.is(Kind::Map) && b.is(Kind::Map)) return quantity_maps(a, b);
    if (quantities && a.is(Kind::String) && b.is(Kind::String)) return same_quantity(a, b);
    if (!a.is(Kind::List) || !b.is(Kind::List)) return same_data(a, b);
    auto same = [&](const Value& x, const Value& y) { return equal(x, y, nullptr); };
    return std::ranges::equal(a.as_list(), b.as_list(), same);
  }

 private:
  static bool same_quantity(const Value& a, const Value& b) {
    if (a.as_text() == b.as_text()) return true;
    Arena arena;
    Quantity x, y;
    return quantity::parse(arena, a.as_text(), x).empty() && quantity::parse(arena, b.as_text(), y).empty() &&
           quantity::compare(arena, x, y) == 0;
  }
  static bool quantity_maps(const Value& a, const Value& b) {
    return a.size() == b.size() && std::ranges::all_of(a.as_map(), [&](const MapEntry& e) {
             const Value* other = find_key(b, e.key);
             return other != nullptr && e.value.is(Kind::String) && other->is(Kind::String) &&
                    same_quantity(e.value, *other);
           });
  }

  // The structs of two versions of a type have the same fields in the same order.
  bool structs(const builtin::Object& a, const builtin::Object& b) const {
    std::span<const builtin::FieldRow> fields = builtin::fields_of(*a.row);
    if (fields.size() != b.row->count) return false;
    for (size_t i = 0; i < fields.size(); i++) {
      if (!equal(a.slots[i], b.slots[i], &fields[i])) return false;
    }
    return true;
  }

  bool nil_is_empty_;
};

std::string struct_json(const Data& data, JsonOrder order) {
  Arena arena;
  std::string out;
  JsonWriter(out, JsonEscape::Plain, order).value(encode_plain(arena, builtin::as_object(data.value)));
  return out;
}

}  // namespace

Data::Data(const Value& slot, const builtin::FieldRow* row) : value(slot), field(row), set(!is_nil(slot)) {
  switch (slot.kind()) {
    case Kind::Bool: flag = slot.as_bool(); break;
    case Kind::Int: number = slot.as_int(); break;
    case Kind::String: text = slot.as_text(); break;
    case Kind::List: items = DataList(slot.as_list()); break;
    default: break;
  }
}

Data Data::operator[](std::string_view name) const {
  if (!is_struct()) return {};
  const builtin::Object& object = builtin::as_object(value);
  int i = builtin::field_index(*object.row, name);
  return i < 0 ? Data() : Data(object.slots[i], &builtin::kFieldRows[object.row->first + i]);
}

std::vector<std::pair<std::string_view, std::string_view>> Data::sorted_texts() const {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  if (!value.is(Kind::Map)) return out;
  for (const MapEntry& e : value.as_map()) {
    out.emplace_back(e.key.as_text(), e.value.is(Kind::String) ? e.value.as_text() : std::string_view());
  }
  std::ranges::sort(out);
  return out;
}

bool semantic_equal(const Data& a, const Data& b) {
  return Comparison(true).equal(a.value, b.value, a.field);
}
bool deep_equal(const Data& a, const Data& b) { return Comparison(false).equal(a.value, b.value, a.field); }

std::string sorted_json(const Data& data) { return struct_json(data, JsonOrder::Sorted); }
std::string go_json(const Data& data) { return struct_json(data, JsonOrder::Document); }

std::string strings_json(const Data& list) { return to_json(list.value, JsonEscape::Go); }

}  // namespace portcullis
