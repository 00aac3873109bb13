#include "interpreter/values/equal.h"

#include "interpreter/values/compare.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"
#include "interpreter/values/nesting.h"

namespace portcullis {
namespace {

bool is_number(const Value& v) { return v.is(Kind::Int) || v.is(Kind::Uint) || v.is(Kind::Double); }

// cel-go's baseList.Equal ignores errors of elements; concatList.Equal returns the first one unless elements
// are unequal.
Value equal_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  auto x = a.as_list(), y = b.as_list();
  Value failure;
  for (size_t i = 0; i < x.size(); ++i) {
    Value same = equal(x[i], y[i], arena);
    if (same.is_false()) return same;
    if (same.is_error() && !failure.is_error()) failure = same;
  }
  if ((a.flags() & kConcatList) && failure.is_error()) return failure;
  return Value::boolean(true);
}

Value equal_maps(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  for (const MapEntry& e : a.as_map()) {
    const Value* other = find_any_key(b, e.key);
    if (other == nullptr || equal(e.value, *other, arena).is_false()) return Value::boolean(false);
  }
  return Value::boolean(true);
}

// Equality with an opaque value that cel-go takes for a map (`variables`), on the right side.
Value equal_to_mapper(const Value& a, const Opaque& b, Arena& arena) {
  if (a.size() != b.cls->size(b)) return Value::boolean(false);
  for (const MapEntry& e : a.as_map()) {
    Value other;
    if (!b.cls->find(b, e.key, Ask::Value, arena, &other)) return Value::boolean(false);
    Value same = equal(e.value, other, arena);
    if (same.is_false() || (is_special(a) && !same.is_true())) return same;
  }
  return Value::boolean(true);
}

Value equal_optionals(const Value& a, const Value& b, Arena& arena) {
  const Value* x = a.as_optional();
  const Value* y = b.as_optional();
  if (x == nullptr || y == nullptr) return Value::boolean(x == y);
  return equal_method(*x, *y, arena);
}

Value equal_structs(const StructValue& a, const StructValue& b, Arena& arena) {
  if (a.type_name != b.type_name) return Value::boolean(false);
  return equal_maps(Value::map(a.fields.data(), a.fields.size()),
                    Value::map(b.fields.data(), b.fields.size()), arena);
}

// Both are of the same kind, one of those with parts.
Value equal_parts(const Value& a, const Value& b, Arena& arena) {
  const Nesting level;
  switch (a.kind()) {
    case Kind::List:
      return a.flags() & kSpecialList ? equal_special_lists(a, b, arena) : equal_lists(a, b, arena);
    case Kind::Map:
      return a.flags() & kSpecialMap ? equal_special_maps(a, b, arena) : equal_maps(a, b, arena);
    case Kind::Optional: return equal_optionals(a, b, arena);
    default: return equal_structs(a.as_struct(), b.as_struct(), arena);
  }
}

}  // namespace

bool equal_numbers(const Value& a, const Value& b) { return compare(a, b) == Order::Equal; }

Value equal(const Value& a, const Value& b, Arena& arena) {
  arena.step();  // counted, because values that share parts can have far more of them than memory
  if (a.is_null() || b.is_null()) return Value::boolean(a.is_null() && b.is_null());
  if (a.is_error()) return a;
  if (a.is(Kind::Opaque)) return a.as_opaque().cls->equal(a.as_opaque(), b, arena);
  if (is_number(a)) return Value::boolean(is_number(b) && equal_numbers(a, b));
  if (a.is(Kind::Map) && b.is(Kind::Opaque) && b.as_opaque().cls->names)
    return equal_to_mapper(a, b.as_opaque(), arena);
  if (a.kind() != b.kind()) return is_special(a) ? not_comparable(b, arena) : Value::boolean(false);
  switch (a.kind()) {
    case Kind::Bool: return Value::boolean(a.as_bool() == b.as_bool());
    case Kind::String:
    case Kind::Bytes:
    case Kind::Type: return Value::boolean(a.raw_head() == b.raw_head() && same_rest(a, b));
    case Kind::Timestamp: return Value::boolean(a.seconds() == b.seconds() && a.nanos() == b.nanos());
    case Kind::Duration: return Value::boolean(a.as_duration() == b.as_duration());
    case Kind::List:
    case Kind::Map:
    case Kind::Optional:
    case Kind::Struct: return equal_parts(a, b, arena);
    default: return a;
  }
}

bool equals(const Value& a, const Value& b, Arena& arena) { return equal(a, b, arena).is_true(); }

}  // namespace portcullis
