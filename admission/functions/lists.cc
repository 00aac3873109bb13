// Library kubernetes.lists: order, sums and indices of elements.
//
// Idea: upstream has one overload for each element type and one callable for all, so a macro makes the rows
// of a type. An element that cannot be compared or added gives "no such overload", as upstream. An element
// that is an error (data that does not fit its schema) is the result.

#include "admission/functions/libraries.h"
#include "interpreter/functions/call.h"
#include "interpreter/values/compare.h"
#include "interpreter/values/equal.h"

namespace portcullis::kubernetes {
namespace {

// The range of cel-go's timestamps in seconds: years 1 to 9999.
constexpr int64_t kFirstSecond = -62135596800, kLastSecond = 253402300799;
constexpr int64_t kNanos = 1000000000;

Value not_usable(CallContext& context, const Value& element) {
  return element.is_error() ? element : context.no_such_overload();
}

Value is_sorted(CallContext& context, List list) {
  for (size_t i = 0; i < list.size(); i++) {
    if (!is_ordered(list[i].kind())) return not_usable(context, list[i]);
    // A comparison that fails (NaN) is not "greater".
    if (i > 0 && compare(list[i - 1], list[i]) == Order::Greater) return Value::boolean(false);
  }
  return Value::boolean(true);
}

// The first of the least elements (`replace` is Greater) or of the greatest ones (`replace` is Less).
Value extreme(CallContext& context, List list, Order replace, std::string_view if_empty) {
  const Value* best = nullptr;
  for (const Value& next : list) {
    if (!is_ordered(next.kind())) return not_usable(context, next);
    if (!best || compare(*best, next) == replace) best = &next;
  }
  return best ? *best : context.error(if_empty);
}

Value least(CallContext& context, List list) {
  return extreme(context, list, Order::Greater, "min called on empty list");
}
Value greatest(CallContext& context, List list) {
  return extreme(context, list, Order::Less, "max called on empty list");
}

Value add_timestamp(CallContext& context, const Value& t, int64_t nanos) {
  int64_t sum = int64_t{t.nanos()} + nanos % kNanos, seconds = t.seconds() + nanos / kNanos;
  if (sum < 0) sum += kNanos, seconds--;
  if (sum >= kNanos) sum -= kNanos, seconds++;
  if (seconds < kFirstSecond || seconds > kLastSecond) return context.error("timestamp overflow");
  return Value::timestamp(seconds, static_cast<uint32_t>(sum), t.offset_minutes());
}

// `acc + next` for the kinds that sum() can start with.
Value add(CallContext& context, const Value& acc, const Value& next) {
  Kind a = acc.kind(), b = next.kind();
  int64_t i = 0;
  uint64_t u = 0;
  if (a == Kind::Duration && b == Kind::Timestamp) return add_timestamp(context, next, acc.as_duration());
  if (a == Kind::Timestamp && b == Kind::Duration) return add_timestamp(context, acc, next.as_duration());
  if (a != b) return not_usable(context, next);
  switch (a) {
    case Kind::Int:
      return __builtin_add_overflow(acc.as_int(), next.as_int(), &i) ? context.error("integer overflow")
                                                                     : Value::integer(i);
    case Kind::Uint:
      return __builtin_add_overflow(acc.as_uint(), next.as_uint(), &u)
                 ? context.error("unsigned integer overflow")
                 : Value::uinteger(u);
    case Kind::Double: return Value::real(acc.as_double() + next.as_double());
    case Kind::Duration:
      return __builtin_add_overflow(acc.as_duration(), next.as_duration(), &i)
                 ? context.error("integer overflow")
                 : Value::duration(i);
    default: return context.no_such_overload();
  }
}

Value sum(CallContext& context, List list, Value zero) {
  for (const Value& next : list) {
    zero = add(context, zero, next);
    if (zero.is_error()) break;
  }
  return zero;
}

bool includes(CallContext& context, const Value& target, const Value& item) {
  if (!target.is(Kind::List)) return equals(target, item, context.arena());
  for (const Value& element : target.as_list()) {
    if (equals(element, item, context.arena())) return true;
  }
  return false;
}

// isSorted, min and max of lists of one type; the examples are of that type.
#define ORDERED(T, EXAMPLE_LIST, LEAST, GREATEST)                                          \
  {.id = "list_" #T "_is_sorted_bool",                                                     \
   .signature = "list(" #T ").isSorted() -> bool",                                         \
   .call = wrap([](CallContext& c, List list) { return is_sorted(c, list); }),             \
   .doc = "whether no element is smaller than the one before it",                          \
   .examples = EXAMPLE_LIST ".isSorted()  // => true"},                                    \
      {.id = "list_" #T "_min_" #T,                                                        \
       .signature = "list(" #T ").min() -> " #T,                                           \
       .call = wrap([](CallContext& c, List list) { return least(c, list); }),             \
       .doc = "the smallest element, of equal ones the first; error if the list is empty", \
       .examples = EXAMPLE_LIST ".min()  // => " LEAST},                                   \
  {                                                                                        \
    .id = "list_" #T "_max_" #T, .signature = "list(" #T ").max() -> " #T,                 \
    .call = wrap([](CallContext& c, List list) { return greatest(c, list); }),             \
    .doc = "the largest element, of equal ones the first; error if the list is empty",     \
    .examples = EXAMPLE_LIST ".max()  // => " GREATEST                                     \
  }

#define SUMMED(T, ZERO, EXAMPLE_LIST, EXAMPLE_SUM)                             \
  {.id = "list_" #T "_sum_" #T,                                                \
   .signature = "list(" #T ").sum() -> " #T,                                   \
   .call = wrap([](CallContext& c, List list) { return sum(c, list, ZERO); }), \
   .doc = "the sum of the elements; zero for an empty list",                   \
   .examples = EXAMPLE_LIST ".sum()  // => " EXAMPLE_SUM}

constexpr Function kRows[] = {
    ORDERED(int, "[1, 2, 2]", "1", "2"),
    ORDERED(uint, "[1u, 2u]", "1u", "2u"),
    ORDERED(double, "[1.5, 2.5]", "1.5", "2.5"),
    ORDERED(bool, "[false, true]", "false", "true"),
    ORDERED(duration, "[duration('1s'), duration('1m')]", "duration('1s')", "duration('60s')"),
    ORDERED(timestamp, "[timestamp('2020-01-01T00:00:00Z'), timestamp('2021-01-01T00:00:00Z')]",
            "timestamp('2020-01-01T00:00:00Z')", "timestamp('2021-01-01T00:00:00Z')"),
    ORDERED(string, "['a', 'b']", "'a'", "'b'"),
    ORDERED(bytes, "[b'a', b'b']", "b'a'", "b'b'"),
    SUMMED(int, Value::integer(0), "[1, 2, 3]", "6"),
    SUMMED(uint, Value::uinteger(0), "[1u, 2u]", "3u"),
    SUMMED(double, Value::real(0), "[1.5, 2.5]", "4.0"),
    SUMMED(duration, Value::duration(0), "[duration('1m'), duration('1s')]", "duration('61s')"),
    {.id = "list_a_index_of_int",
     .signature = "list(A).indexOf(A) -> int",
     .call = wrap([](CallContext& c, List list, Value item) {
       for (size_t i = 0; i < list.size(); i++) {
         if (equals(list[i], item, c.arena())) return static_cast<int64_t>(i);
       }
       return int64_t{-1};
     }),
     .doc = "the index of the first element equal to the argument, -1 if there is none",
     .examples = "[1, 2, 2].indexOf(2)  // => 1"},
    {.id = "list_a_last_index_of_int",
     .signature = "list(A).lastIndexOf(A) -> int",
     .call = wrap([](CallContext& c, List list, Value item) {
       for (size_t i = list.size(); i-- > 0;) {
         if (equals(list[i], item, c.arena())) return static_cast<int64_t>(i);
       }
       return int64_t{-1};
     }),
     .doc = "the index of the last element equal to the argument, -1 if there is none",
     .examples = "[1, 2, 2].lastIndexOf(2)  // => 2"},
    {.id = "list_includes_dyn_dyn",
     .signature = "dyn.includes(dyn) -> bool",
     .call = wrap([](CallContext& c, Value target, Value item) { return includes(c, target, item); }),
     .since = 1,
     .doc = "whether a list has an element equal to the argument; any other value: whether it is equal to "
            "the argument",
     .examples = "[1, 2].includes(2)  // => true\n'a'.includes('a')  // => true"},
};
#undef ORDERED
#undef SUMMED

}  // namespace

const Library kLists = {.name = "kubernetes.lists",
                        .latest = 1,
                        .functions = kRows,
                        .doc = "order, sum and positions of list elements"};

}  // namespace portcullis::kubernetes
