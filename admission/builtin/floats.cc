#include "admission/builtin/floats.h"

#include <algorithm>
#include <vector>

#include "interpreter/values/changed.h"

namespace portcullis::builtin {
namespace {

// Whether a struct holds such a field, itself or within: by the index of its row.
std::vector<bool> find_holders() {
  std::vector<bool> holders(all_structs().size());
  for (bool more = true; more;) {
    more = false;
    for (const StructRow& row : all_structs()) {
      if (holders[struct_index(row)]) continue;
      const bool holds = std::ranges::any_of(fields_of(row), [&](const FieldRow& f) {
        return f.scalar == kDouble ||
               ((f.scalar == kStruct || f.scalar == kSchemaOr) && holders[f.structure]);
      });
      if (holds) holders[struct_index(row)] = more = true;
    }
  }
  return holders;
}

bool holds_floats(const StructRow& row) {
  static const std::vector<bool> kHolders = find_holders();
  return kHolders[struct_index(row)];
}

class FloatFields {
 public:
  explicit FloatFields(Arena& arena) : arena_(arena) {}

  Value structure(const StructRow& row, const Value& v) {
    if (!holds_floats(row) || depth_ == kMostDeep) return v;
    depth_++;
    const Value made = entries(v, [&](const MapEntry& e) {
      const int field = field_index(row, e.key);
      return field < 0 ? e.value : content(fields_of(row)[static_cast<size_t>(field)], e.value);
    });
    depth_--;
    return made;
  }

 private:
  Value content(const FieldRow& f, const Value& v) {
    if (f.scalar != kDouble && f.scalar != kStruct && f.scalar != kSchemaOr) return v;
    const auto one = [&](const Value& item) { return single(f, item); };
    switch (f.shape) {
      case kOne: return one(v);
      case kList: return items(v, one);
      case kMap: return entries(v, [&](const MapEntry& e) { return one(e.value); });
      case kMapOfLists: return entries(v, [&](const MapEntry& e) { return items(e.value, one); });
    }
    return v;
  }

  Value single(const FieldRow& f, const Value& v) {
    if (f.scalar == kDouble) return v.is(Kind::Int) ? Value::real(static_cast<double>(v.as_int())) : v;
    const StructRow& row = struct_at(f.structure);
    if (f.scalar == kSchemaOr && v.is(Kind::List))
      return items(v, [&](const Value& item) { return structure(row, item); });
    return structure(row, v);
  }

  template <class Change>
  Value items(const Value& v, const Change& change) {
    return v.is(Kind::List) ? with_changed_items(arena_, v, change) : v;
  }
  template <class Change>
  Value entries(const Value& v, const Change& change) {
    return v.is(Kind::Map) ? with_changed_values(arena_, v, change) : v;
  }

  static constexpr int kMostDeep = 200;  // a bound for the stack

  Arena& arena_;
  int depth_ = 0;
};

}  // namespace

Value with_floats(Arena& arena, const StructRow& row, const Value& object) {
  return FloatFields(arena).structure(row, object);
}

}  // namespace portcullis::builtin
