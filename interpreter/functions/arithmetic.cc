// The operators + - * / % and negation. Integers report overflow, doubles follow IEEE 754, timestamps stay in
// the years 1 to 9999.
// Source of behaviour: cel-go common/types (int.go, uint.go, double.go, overflow.go, timestamp.go,
// duration.go).
// Tested by tests/language/operators.cel, tests/language/numbers.cel, tests/examples.cc.
#include <limits>

#include "interpreter/formats/duration.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/list_types.h"

namespace portcullis::tables {
namespace {

constexpr std::string_view kIntOverflow = "integer overflow", kUintOverflow = "unsigned integer overflow",
                           kTimestampOverflow = "timestamp overflow";
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

Value checked(CallContext& context, bool overflow, int64_t result) {
  return overflow ? context.error(kIntOverflow) : Value::integer(result);
}

Value checked(CallContext& context, bool overflow, uint64_t result) {
  return overflow ? context.error(kUintOverflow) : Value::uinteger(result);
}

Value checked_duration(CallContext& context, bool overflow, int64_t nanos) {
  return overflow ? context.error(kIntOverflow) : Value::duration(nanos);
}

template <class T>
Value add(CallContext& context, T a, T b) {
  T r;
  bool overflow = __builtin_add_overflow(a, b, &r);
  return checked(context, overflow, r);
}

template <class T>
Value subtract(CallContext& context, T a, T b) {
  T r;
  bool overflow = __builtin_sub_overflow(a, b, &r);
  return checked(context, overflow, r);
}

template <class T>
Value multiply(CallContext& context, T a, T b) {
  T r;
  bool overflow = __builtin_mul_overflow(a, b, &r);
  return checked(context, overflow, r);
}

Value divide(CallContext& context, int64_t a, int64_t b) {
  if (b == 0) return context.error("division by zero");
  return checked(context, a == kMin && b == -1, b == -1 ? int64_t(uint64_t{0} - uint64_t(a)) : a / b);
}

Value modulo(CallContext& context, int64_t a, int64_t b) {
  if (b == 0) return context.error("modulus by zero");
  return checked(context, a == kMin && b == -1, b == -1 ? 0 : a % b);
}

// Adds a duration; the timestamp keeps its UTC offset.
Value shift(CallContext& context, Timestamp t, int64_t nanos) {
  int64_t seconds = t.seconds + nanos / kNanosPerSecond;
  int64_t rest = t.nanos + nanos % kNanosPerSecond;
  if (rest < 0) rest += kNanosPerSecond, --seconds;
  if (rest >= kNanosPerSecond) rest -= kNanosPerSecond, ++seconds;
  if (seconds < kMinUnixSeconds || seconds > kMaxUnixSeconds) return context.error(kTimestampOverflow);
  return Value::timestamp(seconds, static_cast<uint32_t>(rest), t.offset_minutes);
}

Value difference(CallContext& context, Timestamp a, Timestamp b) {
  int64_t nanos;
  bool overflow = __builtin_mul_overflow(a.seconds - b.seconds, kNanosPerSecond, &nanos);
  int64_t rest = static_cast<int64_t>(a.nanos) - static_cast<int64_t>(b.nanos);
  overflow = overflow || __builtin_add_overflow(nanos, rest, &nanos);
  return checked_duration(context, overflow, nanos);
}

std::string_view join(CallContext& context, std::string_view a, std::string_view b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  char* text = static_cast<char*>(context.arena().allocate(a.size() + b.size()));
  std::memcpy(text, a.data(), a.size());
  std::memcpy(text + a.size(), b.data(), b.size());
  return {text, a.size() + b.size()};
}

Value concatenate(CallContext& context, const Value& a, const Value& b) {
  if (a.flags() & kSpecialList) return add_special_lists(a, b, context.arena());
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  size_t count = size_t{a.size()} + b.size();
  Value* items = context.arena().array<Value>(count);
  std::memcpy(static_cast<void*>(items), a.as_list().data(), a.size() * sizeof(Value));
  std::memcpy(static_cast<void*>(items + a.size()), b.as_list().data(), b.size() * sizeof(Value));
  return Value::list(items, count, kConcatList);
}

// cel-go negates durations although no overload declares it.
Value negate_otherwise(CallContext& context, const Value* args, size_t) {
  if (!args[0].is(Kind::Duration)) return context.no_such_overload();
  return checked_duration(context, args[0].as_duration() == kMin,
                          int64_t(uint64_t{0} - uint64_t(args[0].as_duration())));
}

constexpr Cost kJoin = {actual_by<shapes::kScanBoth>, estimate_concatenation, "(size0 + size1) / 10"};

constexpr Function kRows[] = {
    {.id = "add_bytes",
     .signature = "_+_(bytes, bytes) -> bytes",
     .call = wrap([](CallContext& c, Bytes a, Bytes b) { return Bytes{join(c, a.data, b.data)}; }),
     .cost = kJoin,
     .doc = "concatenates bytes",
     .examples = "b'hi' + bytes('ya')  // => b'hiya'",
     .singleton = {kNumberKinds | kTextKinds | kTimeKinds | kind_bit(Kind::List)}},
    {.id = "add_double",
     .signature = "_+_(double, double) -> double",
     .call = wrap([](double a, double b) { return a + b; }),
     .doc = "adds doubles",
     .examples = "3.25 + 1.5  // => 4.75"},
    {.id = "add_duration_duration",
     .signature = "_+_(duration, duration) -> duration",
     .call = wrap([](CallContext& c, Duration a, Duration b) {
       int64_t nanos;
       bool overflow = __builtin_add_overflow(a.nanos, b.nanos, &nanos);
       return checked_duration(c, overflow, nanos);
     }),
     .doc = "adds durations",
     .examples = "duration('1m') + duration('1s')  // => duration('1m1s')"},
    {.id = "add_duration_timestamp",
     .signature = "_+_(duration, timestamp) -> timestamp",
     .call = wrap([](CallContext& c, Duration d, Timestamp t) { return shift(c, t, d.nanos); }),
     .doc = "the timestamp plus the duration",
     .examples =
         "duration('24h') + timestamp('2023-01-01T00:00:00Z')  // => timestamp('2023-01-02T00:00:00Z')"},
    {.id = "add_timestamp_duration",
     .signature = "_+_(timestamp, duration) -> timestamp",
     .call = wrap([](CallContext& c, Timestamp t, Duration d) { return shift(c, t, d.nanos); }),
     .doc = "the timestamp plus the duration",
     .examples =
         "timestamp('2023-01-01T00:00:00Z') + duration('24h1m2s')  // => timestamp('2023-01-02T00:01:02Z')"},
    {.id = "add_int64",
     .signature = "_+_(int, int) -> int",
     .call = wrap([](CallContext& c, int64_t a, int64_t b) { return add(c, a, b); }),
     .doc = "adds ints; error on overflow",
     .examples = "1 + 2  // => 3"},
    {.id = "add_list",
     .signature = "_+_(list(A), list(A)) -> list(A)",
     .call = wrap([](CallContext& c, Value a, Value b) { return concatenate(c, a, b); }),
     .cost = {nullptr, estimate_list_concatenation, "1"},
     .doc = "concatenates lists",
     .examples = "[1] + [2, 3]  // => [1, 2, 3]"},
    {.id = "add_string",
     .signature = "_+_(string, string) -> string",
     .call = wrap([](CallContext& c, std::string_view a, std::string_view b) { return join(c, a, b); }),
     .cost = kJoin,
     .doc = "concatenates strings",
     .examples = "'Hello, ' + 'world!'  // => 'Hello, world!'"},
    {.id = "add_uint64",
     .signature = "_+_(uint, uint) -> uint",
     .call = wrap([](CallContext& c, uint64_t a, uint64_t b) { return add(c, a, b); }),
     .doc = "adds uints; error on overflow",
     .examples = "22u + 33u  // => 55u"},

    {.id = "divide_double",
     .signature = "_/_(double, double) -> double",
     .call = wrap([](double a, double b) { return a / b; }),
     .doc = "divides doubles; division by zero gives an infinity or NaN",
     .examples = "7.0 / 2.0  // => 3.5",
     .singleton = {kNumberKinds}},
    {.id = "divide_int64",
     .signature = "_/_(int, int) -> int",
     .call = wrap([](CallContext& c, int64_t a, int64_t b) { return divide(c, a, b); }),
     .doc = "divides ints, rounding towards zero; error if the divisor is zero",
     .examples = "10 / 2  // => 5\n-7 / 2  // => -3"},
    {.id = "divide_uint64",
     .signature = "_/_(uint, uint) -> uint",
     .call = wrap([](CallContext& c, uint64_t a, uint64_t b) {
       return b == 0 ? c.error("division by zero") : Value::uinteger(a / b);
     }),
     .doc = "divides uints, rounding towards zero; error if the divisor is zero",
     .examples = "42u / 2u  // => 21u"},

    {.id = "modulo_int64",
     .signature = "_%_(int, int) -> int",
     .call = wrap([](CallContext& c, int64_t a, int64_t b) { return modulo(c, a, b); }),
     .doc = "the remainder, with the sign of the dividend; error if the divisor is zero",
     .examples = "3 % 2  // => 1\n-3 % 2  // => -1",
     .singleton = {kind_bit(Kind::Int) | kind_bit(Kind::Uint)}},
    {.id = "modulo_uint64",
     .signature = "_%_(uint, uint) -> uint",
     .call = wrap([](CallContext& c, uint64_t a, uint64_t b) {
       return b == 0 ? c.error("modulus by zero") : Value::uinteger(a % b);
     }),
     .doc = "the remainder; error if the divisor is zero",
     .examples = "6u % 3u  // => 0u"},

    {.id = "multiply_double",
     .signature = "_*_(double, double) -> double",
     .call = wrap([](double a, double b) { return a * b; }),
     .doc = "multiplies doubles",
     .examples = "3.5 * 40.0  // => 140.0",
     .singleton = {kNumberKinds}},
    {.id = "multiply_int64",
     .signature = "_*_(int, int) -> int",
     .call = wrap([](CallContext& c, int64_t a, int64_t b) { return multiply(c, a, b); }),
     .doc = "multiplies ints; error on overflow",
     .examples = "-2 * 6  // => -12"},
    {.id = "multiply_uint64",
     .signature = "_*_(uint, uint) -> uint",
     .call = wrap([](CallContext& c, uint64_t a, uint64_t b) { return multiply(c, a, b); }),
     .doc = "multiplies uints; error on overflow",
     .examples = "13u * 3u  // => 39u"},

    {.id = "negate_double",
     .signature = "-_(double) -> double",
     .call = wrap([](double a) { return -a; }),
     .doc = "negates a double",
     .examples = "-(3.5)  // => -3.5",
     .singleton = {kind_bit(Kind::Bool) | kind_bit(Kind::Int) | kind_bit(Kind::Double) |
                       kind_bit(Kind::Duration),
                   negate_otherwise}},
    {.id = "negate_int64",
     .signature = "-_(int) -> int",
     .call = wrap([](CallContext& c, int64_t a) { return subtract(c, int64_t{0}, a); }),
     .doc = "negates an int; error on overflow",
     .examples = "-(5)  // => -5"},

    {.id = "subtract_double",
     .signature = "_-_(double, double) -> double",
     .call = wrap([](double a, double b) { return a - b; }),
     .doc = "subtracts doubles",
     .examples = "10.5 - 2.0  // => 8.5",
     .singleton = {kNumberKinds | kTimeKinds}},
    {.id = "subtract_duration_duration",
     .signature = "_-_(duration, duration) -> duration",
     .call = wrap([](CallContext& c, Duration a, Duration b) {
       int64_t nanos;
       bool overflow = __builtin_sub_overflow(a.nanos, b.nanos, &nanos);
       return checked_duration(c, overflow, nanos);
     }),
     .doc = "subtracts durations",
     .examples = "duration('1m') - duration('1s')  // => duration('59s')"},
    {.id = "subtract_int64",
     .signature = "_-_(int, int) -> int",
     .call = wrap([](CallContext& c, int64_t a, int64_t b) { return subtract(c, a, b); }),
     .doc = "subtracts ints; error on overflow",
     .examples = "5 - 3  // => 2"},
    {.id = "subtract_timestamp_duration",
     .signature = "_-_(timestamp, duration) -> timestamp",
     .call = wrap([](CallContext& c, Timestamp t, Duration d) {
       return d.nanos == kMin ? c.error(kIntOverflow) : shift(c, t, -d.nanos);
     }),
     .doc = "the timestamp minus the duration",
     .examples =
         "timestamp('2023-01-10T12:00:00Z') - duration('12h')  // => timestamp('2023-01-10T00:00:00Z')"},
    {.id = "subtract_timestamp_timestamp",
     .signature = "_-_(timestamp, timestamp) -> duration",
     .call = wrap([](CallContext& c, Timestamp a, Timestamp b) { return difference(c, a, b); }),
     .doc = "the time between two timestamps",
     .examples =
         "timestamp('2023-01-10T12:00:00Z') - timestamp('2023-01-10T00:00:00Z')  // => duration('12h')"},
    {.id = "subtract_uint64",
     .signature = "_-_(uint, uint) -> uint",
     .call = wrap([](CallContext& c, uint64_t a, uint64_t b) { return subtract(c, a, b); }),
     .doc = "subtracts uints; error if the result is negative",
     .examples = "42u - 3u  // => 39u"},
};

}  // namespace

std::span<const Function> arithmetic() { return kRows; }

}  // namespace portcullis::tables
