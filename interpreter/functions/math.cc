// The math library: least and greatest, rounding, signs, bits. Source of behaviour: cel-go ext/math.go.
// Versions: 1 everything but @min and @max, which are older; 2 sqrt.
// Tested by tests/language/libraries.cel, tests/examples.cc.
#include <cmath>
#include <limits>

#include "interpreter/formats/number.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/compare.h"

namespace portcullis::tables {
namespace {

// The error for two operands that have no order; `name` is the function.
Value no_order(CallContext& context, Order order, std::string_view name) {
  TextBuilder text(context.arena());
  text.append(order == Order::NaN ? "NaN values cannot be ordered: " : "no such overload: ");
  text.append(name);
  return context.error(text.view());
}

template <Order Worse>
constexpr std::string_view kName = Worse == Order::Greater ? "math.@min" : "math.@max";

// The second operand if the first is `Worse` than it, else the first. `Worse` is Greater for @min, Less for
// @max.
template <Order Worse>
Value better(CallContext& context, const Value& a, const Value& b) {
  Order order = compare(a, b);
  if (order == Order::NaN || order == Order::None) return no_order(context, order, kName<Worse>);
  return order == Worse ? b : a;
}

template <Order Worse>
Value pair(CallContext& context, const Value* args, size_t) {
  return better<Worse>(context, args[0], args[1]);
}

template <Order Worse>
Value best(CallContext& context, const Value* args, size_t) {
  List list = args[0].as_list();
  if (list.empty()) {
    TextBuilder text(context.arena());
    text.append(kName<Worse>);
    text.append("(list) argument must not be empty");
    return context.error(text.view());
  }
  Value result = list[0];
  for (size_t i = 1; i < list.size() && !result.is_error(); ++i)
    result = better<Worse>(context, result, list[i]);
  bool number = result.is(Kind::Int) || result.is(Kind::Uint) || result.is(Kind::Double);
  // cel-go has this error for every failure along the way.
  return number ? result : no_order(context, Order::None, kName<Worse>);
}

constexpr Call kIdentity = wrap([](Value v) { return v; });
constexpr Call kMin = pair<Order::Greater>, kMax = pair<Order::Less>;
constexpr Call kLeast = best<Order::Greater>, kGreatest = best<Order::Less>;

double sign(double d) { return std::isnan(d) ? d : d > 0 ? 1.0 : d < 0 ? -1.0 : 0.0; }

Value absolute(CallContext& context, int64_t i) {
  if (i == std::numeric_limits<int64_t>::min()) return context.error("integer overflow");
  return Value::integer(i < 0 ? -i : i);
}

Value negative_offset(CallContext& context, std::string_view name, int64_t bits) {
  TextBuilder text(context.arena());
  text.append(name);
  text.append("() negative offset: ");
  append_int(text, bits);
  return context.error(text.view());
}

// Shifts by 64 or more give 0. Ints shift like unsigned numbers with the same bits.
Value shift_left(CallContext& context, const Value& v, int64_t bits) {
  if (bits < 0) return negative_offset(context, "math.bitShiftLeft", bits);
  uint64_t u = bits > 63 ? 0 : v.as_uint() << bits;
  return v.is(Kind::Int) ? Value::integer(static_cast<int64_t>(u)) : Value::uinteger(u);
}
Value shift_right(CallContext& context, const Value& v, int64_t bits) {
  if (bits < 0) return negative_offset(context, "math.bitShiftRight", bits);
  uint64_t u = bits > 63 ? 0 : v.as_uint() >> bits;
  return v.is(Kind::Int) ? Value::integer(static_cast<int64_t>(u)) : Value::uinteger(u);
}

constexpr Call kShiftLeft =
    wrap([](CallContext& c, Value v, int64_t bits) { return shift_left(c, v, bits); });
constexpr Call kShiftRight =
    wrap([](CallContext& c, Value v, int64_t bits) { return shift_right(c, v, bits); });

constexpr Function kRows[] = {
    {.id = "math_@min_double",
     .signature = "math.@min(double) -> double",
     .call = kIdentity,
     .doc = "the smallest number; the macro math.least() calls it",
     .examples = "math.least(1.5)  // => 1.5"},
    {.id = "math_@min_int",
     .signature = "math.@min(int) -> int",
     .call = kIdentity,
     .doc = "the smallest number; the macro math.least() calls it",
     .examples = "math.least(1)  // => 1"},
    {.id = "math_@min_uint",
     .signature = "math.@min(uint) -> uint",
     .call = kIdentity,
     .doc = "the smallest number; the macro math.least() calls it",
     .examples = "math.least(1u)  // => 1u"},
    {.id = "math_@min_double_double",
     .signature = "math.@min(double, double) -> double",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1.5, 2.5)  // => 1.5"},
    {.id = "math_@min_int_int",
     .signature = "math.@min(int, int) -> int",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1, 2)  // => 1"},
    {.id = "math_@min_uint_uint",
     .signature = "math.@min(uint, uint) -> uint",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1u, 2u)  // => 1u"},
    {.id = "math_@min_int_uint",
     .signature = "math.@min(int, uint) -> dyn",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1, 2u)  // => 1"},
    {.id = "math_@min_int_double",
     .signature = "math.@min(int, double) -> dyn",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1, 2.5)  // => 1"},
    {.id = "math_@min_double_int",
     .signature = "math.@min(double, int) -> dyn",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1.5, 2)  // => 1.5"},
    {.id = "math_@min_double_uint",
     .signature = "math.@min(double, uint) -> dyn",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1.5, 2u)  // => 1.5"},
    {.id = "math_@min_uint_int",
     .signature = "math.@min(uint, int) -> dyn",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1u, 2)  // => 1u"},
    {.id = "math_@min_uint_double",
     .signature = "math.@min(uint, double) -> dyn",
     .call = kMin,
     .doc = "the smallest number",
     .examples = "math.least(1u, 2.5)  // => 1u"},
    {.id = "math_@min_list_double",
     .signature = "math.@min(list(double)) -> double",
     .call = kLeast,
     .doc = "the smallest number of a list",
     .examples = "math.least([1.5, 2.5, 2.5])  // => 1.5"},
    {.id = "math_@min_list_int",
     .signature = "math.@min(list(int)) -> int",
     .call = kLeast,
     .doc = "the smallest number of a list",
     .examples = "math.least([1, 2, 2])  // => 1"},
    {.id = "math_@min_list_uint",
     .signature = "math.@min(list(uint)) -> uint",
     .call = kLeast,
     .doc = "the smallest number of a list",
     .examples = "math.least([1u, 2u, 2u])  // => 1u"},
    {.id = "math_@max_double",
     .signature = "math.@max(double) -> double",
     .call = kIdentity,
     .doc = "the largest number; the macro math.greatest() calls it",
     .examples = "math.greatest(1.5)  // => 1.5"},
    {.id = "math_@max_int",
     .signature = "math.@max(int) -> int",
     .call = kIdentity,
     .doc = "the largest number; the macro math.greatest() calls it",
     .examples = "math.greatest(1)  // => 1"},
    {.id = "math_@max_uint",
     .signature = "math.@max(uint) -> uint",
     .call = kIdentity,
     .doc = "the largest number; the macro math.greatest() calls it",
     .examples = "math.greatest(1u)  // => 1u"},
    {.id = "math_@max_double_double",
     .signature = "math.@max(double, double) -> double",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1.5, 2.5)  // => 2.5"},
    {.id = "math_@max_int_int",
     .signature = "math.@max(int, int) -> int",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1, 2)  // => 2"},
    {.id = "math_@max_uint_uint",
     .signature = "math.@max(uint, uint) -> uint",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1u, 2u)  // => 2u"},
    {.id = "math_@max_int_uint",
     .signature = "math.@max(int, uint) -> dyn",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1, 2u)  // => 2u"},
    {.id = "math_@max_int_double",
     .signature = "math.@max(int, double) -> dyn",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1, 2.5)  // => 2.5"},
    {.id = "math_@max_double_int",
     .signature = "math.@max(double, int) -> dyn",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1.5, 2)  // => 2"},
    {.id = "math_@max_double_uint",
     .signature = "math.@max(double, uint) -> dyn",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1.5, 2u)  // => 2u"},
    {.id = "math_@max_uint_int",
     .signature = "math.@max(uint, int) -> dyn",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1u, 2)  // => 2"},
    {.id = "math_@max_uint_double",
     .signature = "math.@max(uint, double) -> dyn",
     .call = kMax,
     .doc = "the largest number",
     .examples = "math.greatest(1u, 2.5)  // => 2.5"},
    {.id = "math_@max_list_double",
     .signature = "math.@max(list(double)) -> double",
     .call = kGreatest,
     .doc = "the largest number of a list",
     .examples = "math.greatest([1.5, 2.5, 2.5])  // => 2.5"},
    {.id = "math_@max_list_int",
     .signature = "math.@max(list(int)) -> int",
     .call = kGreatest,
     .doc = "the largest number of a list",
     .examples = "math.greatest([1, 2, 2])  // => 2"},
    {.id = "math_@max_list_uint",
     .signature = "math.@max(list(uint)) -> uint",
     .call = kGreatest,
     .doc = "the largest number of a list",
     .examples = "math.greatest([1u, 2u, 2u])  // => 2u"},
    {.id = "math_ceil_double",
     .signature = "math.ceil(double) -> double",
     .call = wrap([](double d) { return std::ceil(d); }),
     .since = 1,
     .doc = "the smallest integer that is not smaller",
     .examples = "math.ceil(1.2)  // => 2.0"},
    {.id = "math_floor_double",
     .signature = "math.floor(double) -> double",
     .call = wrap([](double d) { return std::floor(d); }),
     .since = 1,
     .doc = "the largest integer that is not larger",
     .examples = "math.floor(-1.2)  // => -2.0"},
    {.id = "math_round_double",
     .signature = "math.round(double) -> double",
     .call = wrap([](double d) { return std::round(d); }),
     .since = 1,
     .doc = "the nearest integer, halves away from zero",
     .examples = "math.round(2.5)  // => 3.0\nmath.round(-2.5)  // => -3.0"},
    {.id = "math_trunc_double",
     .signature = "math.trunc(double) -> double",
     .call = wrap([](double d) { return std::trunc(d); }),
     .since = 1,
     .doc = "the number without its fraction",
     .examples = "math.trunc(-1.7)  // => -1.0"},
    {.id = "math_isInf_double",
     .signature = "math.isInf(double) -> bool",
     .call = wrap([](double d) { return std::isinf(d); }),
     .since = 1,
     .doc = "whether the number is an infinity",
     .examples = "math.isInf(1.0 / 0.0)  // => true"},
    {.id = "math_isNaN_double",
     .signature = "math.isNaN(double) -> bool",
     .call = wrap([](double d) { return std::isnan(d); }),
     .since = 1,
     .doc = "whether the value is NaN",
     .examples = "math.isNaN(0.0 / 0.0)  // => true"},
    {.id = "math_isFinite_double",
     .signature = "math.isFinite(double) -> bool",
     .call = wrap([](double d) { return std::isfinite(d); }),
     .since = 1,
     .doc = "whether the value is neither NaN nor an infinity",
     .examples = "math.isFinite(1.0)  // => true"},
    {.id = "math_abs_double",
     .signature = "math.abs(double) -> double",
     .call = wrap([](double d) { return std::fabs(d); }),
     .since = 1,
     .doc = "the absolute value",
     .examples = "math.abs(-1.5)  // => 1.5"},
    {.id = "math_abs_int",
     .signature = "math.abs(int) -> int",
     .call = wrap([](CallContext& c, int64_t i) { return absolute(c, i); }),
     .since = 1,
     .doc = "the absolute value; error for the smallest int",
     .examples = "math.abs(-1)  // => 1"},
    {.id = "math_abs_uint",
     .signature = "math.abs(uint) -> uint",
     .call = kIdentity,
     .since = 1,
     .doc = "the number itself",
     .examples = "math.abs(1u)  // => 1u"},
    {.id = "math_sign_double",
     .signature = "math.sign(double) -> double",
     .call = wrap([](double d) { return sign(d); }),
     .since = 1,
     .doc = "-1.0, 0.0 or 1.0; NaN for NaN",
     .examples = "math.sign(-42.5)  // => -1.0"},
    {.id = "math_sign_int",
     .signature = "math.sign(int) -> int",
     .call = wrap([](int64_t i) { return int64_t{i > 0} - int64_t{i < 0}; }),
     .since = 1,
     .doc = "-1, 0 or 1",
     .examples = "math.sign(-42)  // => -1"},
    {.id = "math_sign_uint",
     .signature = "math.sign(uint) -> uint",
     .call = wrap([](uint64_t u) { return uint64_t{u != 0}; }),
     .since = 1,
     .doc = "0u or 1u",
     .examples = "math.sign(42u)  // => 1u"},
    {.id = "math_bitAnd_int_int",
     .signature = "math.bitAnd(int, int) -> int",
     .call = wrap([](int64_t a, int64_t b) { return a & b; }),
     .since = 1,
     .doc = "the bits that are set in both",
     .examples = "math.bitAnd(3, 2)  // => 2"},
    {.id = "math_bitAnd_uint_uint",
     .signature = "math.bitAnd(uint, uint) -> uint",
     .call = wrap([](uint64_t a, uint64_t b) { return a & b; }),
     .since = 1,
     .doc = "the bits that are set in both",
     .examples = "math.bitAnd(3u, 6u)  // => 2u"},
    {.id = "math_bitOr_int_int",
     .signature = "math.bitOr(int, int) -> int",
     .call = wrap([](int64_t a, int64_t b) { return a | b; }),
     .since = 1,
     .doc = "the bits that are set in at least one",
     .examples = "math.bitOr(1, 2)  // => 3"},
    {.id = "math_bitOr_uint_uint",
     .signature = "math.bitOr(uint, uint) -> uint",
     .call = wrap([](uint64_t a, uint64_t b) { return a | b; }),
     .since = 1,
     .doc = "the bits that are set in at least one",
     .examples = "math.bitOr(1u, 2u)  // => 3u"},
    {.id = "math_bitXor_int_int",
     .signature = "math.bitXor(int, int) -> int",
     .call = wrap([](int64_t a, int64_t b) { return a ^ b; }),
     .since = 1,
     .doc = "the bits that are set in exactly one",
     .examples = "math.bitXor(3, 5)  // => 6"},
    {.id = "math_bitXor_uint_uint",
     .signature = "math.bitXor(uint, uint) -> uint",
     .call = wrap([](uint64_t a, uint64_t b) { return a ^ b; }),
     .since = 1,
     .doc = "the bits that are set in exactly one",
     .examples = "math.bitXor(1u, 3u)  // => 2u"},
    {.id = "math_bitNot_int_int",
     .signature = "math.bitNot(int) -> int",
     .call = wrap([](int64_t i) { return ~i; }),
     .since = 1,
     .doc = "the number with every bit inverted",
     .examples = "math.bitNot(1)  // => -2"},
    {.id = "math_bitNot_uint_uint",
     .signature = "math.bitNot(uint) -> uint",
     .call = wrap([](uint64_t u) { return ~u; }),
     .since = 1,
     .doc = "the number with every bit inverted",
     .examples = "math.bitNot(1u)  // => 18446744073709551614u"},
    {.id = "math_bitShiftLeft_int_int",
     .signature = "math.bitShiftLeft(int, int) -> int",
     .call = kShiftLeft,
     .since = 1,
     .doc = "the bits shifted to the left, with zeros shifted in; error if the shift is negative",
     .examples = "math.bitShiftLeft(1, 2)  // => 4"},
    {.id = "math_bitShiftLeft_uint_int",
     .signature = "math.bitShiftLeft(uint, int) -> uint",
     .call = kShiftLeft,
     .since = 1,
     .doc = "the bits shifted to the left, with zeros shifted in; error if the shift is negative",
     .examples = "math.bitShiftLeft(1u, 2)  // => 4u"},
    {.id = "math_bitShiftRight_int_int",
     .signature = "math.bitShiftRight(int, int) -> int",
     .call = kShiftRight,
     .since = 1,
     .doc = "the bits shifted to the right, with zeros shifted in; error if the shift is negative",
     .examples = "math.bitShiftRight(1024, 2)  // => 256"},
    {.id = "math_bitShiftRight_uint_int",
     .signature = "math.bitShiftRight(uint, int) -> uint",
     .call = kShiftRight,
     .since = 1,
     .doc = "the bits shifted to the right, with zeros shifted in; error if the shift is negative",
     .examples = "math.bitShiftRight(1024u, 2)  // => 256u"},
    {.id = "math_sqrt_double",
     .signature = "math.sqrt(double) -> double",
     .call = wrap([](double v) { return std::sqrt(static_cast<double>(v)); }),
     .since = 2,
     .doc = "the square root; NaN for negative numbers",
     .examples = "math.sqrt(81.0)  // => 9.0"},
    {.id = "math_sqrt_int",
     .signature = "math.sqrt(int) -> double",
     .call = wrap([](int64_t v) { return std::sqrt(static_cast<double>(v)); }),
     .since = 2,
     .doc = "the square root; NaN for negative numbers",
     .examples = "math.sqrt(81)  // => 9.0"},
    {.id = "math_sqrt_uint",
     .signature = "math.sqrt(uint) -> double",
     .call = wrap([](uint64_t v) { return std::sqrt(static_cast<double>(v)); }),
     .since = 2,
     .doc = "the square root; NaN for negative numbers",
     .examples = "math.sqrt(81u)  // => 9.0"},
};

}  // namespace

std::span<const Function> math() { return kRows; }

}  // namespace portcullis::tables
