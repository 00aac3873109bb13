#include "interpreter/values/compare.h"

#include <cmath>

#include "grammar/powers.h"

namespace portcullis {
namespace {

template <class T>
Order order(T a, T b) {
  return a < b ? Order::Less : b < a ? Order::Greater : Order::Equal;
}

Order reversed(Order o) { return o == Order::Less ? Order::Greater : o == Order::Greater ? Order::Less : o; }

// Compares the range first, then as doubles, which rounds: 9007199254740993 equals 9007199254740992.0 as in
// cel-go.
Order compare_double_int(double d, int64_t i) {
  if (std::isnan(d)) return Order::NaN;
  if (d < -kTwoTo63) return Order::Less;
  if (d > kTwoTo63) return Order::Greater;
  return order(d, static_cast<double>(i));
}

Order compare_double_uint(double d, uint64_t u) {
  if (std::isnan(d)) return Order::NaN;
  if (d < 0) return Order::Less;
  if (d > kTwoTo64) return Order::Greater;
  return order(d, static_cast<double>(u));
}

Order compare_int_uint(int64_t i, uint64_t u) {
  if (i < 0) return Order::Less;
  return order(static_cast<uint64_t>(i), u);
}

Order compare_doubles(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? Order::NaN : order(a, b);
}

Order compare_numbers(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::Int:
      if (b.is(Kind::Int)) return order(a.as_int(), b.as_int());
      if (b.is(Kind::Uint)) return compare_int_uint(a.as_int(), b.as_uint());
      if (b.is(Kind::Double)) return reversed(compare_double_int(b.as_double(), a.as_int()));
      return Order::None;
    case Kind::Uint:
      if (b.is(Kind::Uint)) return order(a.as_uint(), b.as_uint());
      if (b.is(Kind::Int)) return reversed(compare_int_uint(b.as_int(), a.as_uint()));
      if (b.is(Kind::Double)) return reversed(compare_double_uint(b.as_double(), a.as_uint()));
      return Order::None;
    default:
      if (b.is(Kind::Double)) return compare_doubles(a.as_double(), b.as_double());
      if (b.is(Kind::Int)) return compare_double_int(a.as_double(), b.as_int());
      if (b.is(Kind::Uint)) return compare_double_uint(a.as_double(), b.as_uint());
      return Order::None;
  }
}

}  // namespace

bool is_ordered(Kind kind) {
  switch (kind) {
    case Kind::Bool:
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double:
    case Kind::String:
    case Kind::Bytes:
    case Kind::Timestamp:
    case Kind::Duration: return true;
    default: return false;
  }
}

Order compare(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double: return compare_numbers(a, b);
    default: break;
  }
  if (a.kind() != b.kind()) return Order::None;
  switch (a.kind()) {
    case Kind::Bool: return order(a.as_bool(), b.as_bool());
    case Kind::String:
    case Kind::Bytes: return order(a.as_text().compare(b.as_text()), 0);
    case Kind::Timestamp:
      return a.seconds() != b.seconds() ? order(a.seconds(), b.seconds()) : order(a.nanos(), b.nanos());
    case Kind::Duration: return order(a.as_duration(), b.as_duration());
    default: return Order::None;
  }
}

Value compare_value(const Value& a, const Value& b, Arena& arena) {
  Order o = compare(a, b);
  // As in cel-go, a NaN on the left fails before the kind of the other operand matters.
  if (o == Order::None && a.is(Kind::Double) && std::isnan(a.as_double())) o = Order::NaN;
  switch (o) {
    case Order::NaN: return make_error(arena, "NaN values cannot be ordered");
    case Order::None: return make_error(arena, "no such overload");
    default: return Value::integer(static_cast<int64_t>(o));
  }
}

}  // namespace portcullis
