// The lists library: slices, flattening, sorting, ranges. Source of behaviour: cel-go ext/lists.go.
// Versions: 1 flatten, 2 sort, range, reverse, distinct, 3 costs.
// Tested by tests/language/lists.cel, tests/examples.cc.
#include <algorithm>

#include "grammar/powers.h"
#include "interpreter/formats/number.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/elements.h"
#include "interpreter/functions/pdqsort.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/compare.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/nesting.h"
#include "interpreter/values/print.h"

namespace portcullis::tables {
namespace {

constexpr int64_t kLongestRange = 1'000'000;  // cel-go's default for lists.range

// "cannot slice(1, 2), <reason>"
Value bad_slice(CallContext& context, int64_t start, int64_t end, std::string_view reason) {
  TextBuilder text(context.arena());
  text.append("cannot slice(");
  append_int(text, start);
  text.append(", ");
  append_int(text, end);
  text.append("), ");
  text.append(reason);
  return context.error(text.view());
}

Value slice(CallContext& context, List list, int64_t start, int64_t end) {
  if (start < 0 || end < 0) return bad_slice(context, start, end, "negative indexes not supported");
  if (start > end)
    return bad_slice(context, start, end, "start index must be less than or equal to end index");
  int64_t length = static_cast<int64_t>(list.size());
  if (length < end) {
    TextBuilder reason(context.arena());
    reason.append("list is length ");
    append_int(reason, length);
    return bad_slice(context, start, end, reason.view());
  }
  return Value::list(list.data() + start, static_cast<size_t>(end - start));
}

// The number of elements after flattening. Counts steps, because lists that share parts can have far more
// elements than memory.
size_t flat_size(Arena& arena, List list, int64_t depth) {
  const Nesting level;
  size_t n = 0;
  for (const Value& v : list) {
    arena.step();
    n += v.is(Kind::List) && depth > 0 ? flat_size(arena, v.as_list(), depth - 1) : 1;
  }
  return n;
}

Value* flatten_into(Value* out, List list, int64_t depth) {
  for (const Value& v : list) {
    if (v.is(Kind::List) && depth > 0) {
      out = flatten_into(out, v.as_list(), depth - 1);
    } else {
      *out++ = v;
    }
  }
  return out;
}

Value flatten(CallContext& context, List list, int64_t depth) {
  if (depth < 0) return context.error("level must be non-negative");
  size_t count = flat_size(context.arena(), list, depth);
  Value* items = context.arena().array<Value>(count);
  flatten_into(items, list, depth);
  return Value::list(items, count);
}

// The type with its parameters, as Go's %v prints it.
std::string_view full_type_name(const Value& v) {
  switch (v.kind()) {
    case Kind::List: return "list(dyn)";
    case Kind::Map: return "map(dyn, dyn)";
    case Kind::Optional: return "optional_type(dyn)";
    default: return type_name(v);
  }
}

// cel-go has turned the guards off for this function, so it checks its operands itself.
Value flatten_any(CallContext& context, const Value* args, size_t count) {
  if (args[0].is(Kind::List) && (count == 1 || args[1].is(Kind::Int))) {
    return flatten(context, args[0].as_list(), count == 1 ? 1 : args[1].as_int());
  }
  TextBuilder text(context.arena());
  text.append("no such overload: ");
  text.append(full_type_name(args[0]));
  text.append(".flatten(");
  if (count == 2) text.append(full_type_name(args[1]));
  text.append(")");
  return context.error(text.view());
}

// The elements of `list`, ordered by their `keys`.
Value sort_by(CallContext& context, const Value& list, List keys) {
  if (list.size() != keys.size()) {
    TextBuilder text(context.arena());
    text.append(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ");
    append_uint(text, list.size());
    text.append(" and ");
    append_uint(text, keys.size());
    text.append(" elements respectively");
    return context.error(text.view());
  }
  if (keys.empty()) return list;
  if (!is_ordered(keys[0].kind())) return context.error("list elements must be comparable");
  uint32_t* order = context.arena().array<uint32_t>(keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) order[i] = i;
  bool mixed = false;
  auto less = [&](ptrdiff_t i, ptrdiff_t j) {
    context.arena().step();
    const Value &a = keys[order[i]], &b = keys[order[j]];
    if (a.kind() != keys[0].kind() || b.kind() != keys[0].kind()) {
      mixed = true;
      return false;
    }
    return compare(a, b) == Order::Less;
  };
  auto swap = [&](ptrdiff_t i, ptrdiff_t j) { std::swap(order[i], order[j]); };
  PatternSort(less, swap).sort(keys.size());
  if (mixed) return context.error("list elements must have the same type");
  Value* items = context.arena().array<Value>(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) items[i] = list.as_list()[order[i]];
  return Value::list(items, keys.size());
}

Value range(CallContext& context, int64_t n) {
  if (n >= 0 && n <= kLongestRange) {
    Value* items = context.arena().array<Value>(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) items[i] = Value::integer(i);
    return Value::list(items, static_cast<size_t>(n));
  }
  TextBuilder text(context.arena());
  text.append(n < 0 ? "lists.range: size must be non-negative, got " : "lists.range: size ");
  append_int(text, n);
  if (n > 0) text.append(" exceeds maximum allowed (1000000)");
  return context.error(text.view());
}

Value reverse(CallContext& context, List list) {
  Value* items = context.arena().array<Value>(list.size());
  std::reverse_copy(list.begin(), list.end(), items);
  return Value::list(items, list.size());
}

Value distinct(CallContext& context, const Value& list) {
  if (list.size() == 0) return list;
  Value* items = context.arena().array<Value>(list.size());
  ElementSet seen(context.arena(), list.as_list());
  size_t count = 0;
  for (const Value& v : list.as_list()) {
    if (seen.add(v)) items[count++] = v;
  }
  return Value::list(items, count);
}

// --- costs of version 3 ---

// The cost of a call that makes a list: `list` times `factor`, plus the call and the creation of the list.
CallEstimate allocating(double factor, Range list) {
  return {list * factor + fixed_range(1) + fixed_range(kListCreateCost), list};
}
CallEstimate estimate_slice(EstimateCall& call) {
  return allocating(1, fixed_range(call.literal_size(2, call.size(0).max) - call.literal_size(1, 0)));
}
CallEstimate estimate_range(EstimateCall& call) {
  return allocating(1, fixed_range(call.literal_size(0, kUnbounded)));
}
CallEstimate estimate_reverse(EstimateCall& call) { return allocating(1, call.size(0)); }
CallEstimate estimate_flatten(EstimateCall& call) {
  uint64_t depth = call.count() == 2 ? call.literal_size(1, kUnbounded) : 1;
  return allocating(static_cast<double>(depth), call.size(0));
}
CallEstimate estimate_distinct(EstimateCall& call) { return allocating(2, call.size(0) * call.size(0)); }

constexpr double kPairFactor = 2.0, kTextPairFactor = kPairFactor + kStringTraversal;

// Each key is compared with each other; the keys are the last argument.
template <bool Text>
CallEstimate estimate_sort(EstimateCall& call) {
  Range keys = call.size(call.count() - 1);
  return allocating(Text ? kTextPairFactor : kPairFactor, keys * keys);
}

// Go's conversion on amd64: a number that is too large becomes 2^63.
uint64_t go_uint(double d) { return d < kTwoTo64 ? static_cast<uint64_t>(d) : uint64_t{1} << 63; }

uint64_t allocated(double factor, uint64_t size) {
  if (factor < 0) factor = 1;
  return saturating_add(go_uint(static_cast<double>(size) * factor), 1 + kListCreateCost);
}
uint64_t actual_output(const Value*, size_t, const Value& result) {
  return allocated(1, outer_size_of(result));
}
uint64_t actual_flatten(const Value* args, size_t count, const Value&) {
  double depth = count == 2 && args[1].is(Kind::Int) ? static_cast<double>(args[1].as_int()) : 1;
  return allocated(depth, outer_size_of(args[0]));
}
uint64_t self_compared(const Value& list) {
  if (!list.is(Kind::List)) return 1;  // the argument is an error
  uint64_t size = list.size();
  bool text = size > 0 && (list.as_list()[0].is(Kind::String) || list.as_list()[0].is(Kind::Bytes));
  return allocated(text ? kTextPairFactor : kPairFactor, saturating_multiply(size, size));
}
uint64_t actual_sort(const Value* args, size_t count, const Value&) { return self_compared(args[count - 1]); }
uint64_t actual_distinct(const Value* args, size_t, const Value&) { return self_compared(args[0]); }

constexpr std::string_view kOutputText = "size of the result + 11", kPairsText = "2 * size0 * size0 + 11",
                           kTextPairsText = "21 * size0 * size0 / 10 + 11, rounded down";
constexpr Cost kNumberSort = {actual_sort, estimate_sort<false>, kPairsText};
constexpr Cost kTextSort = {actual_sort, estimate_sort<true>, kTextPairsText};

constexpr Recost kCosts[] = {
    {"list_slice", 3, {actual_output, estimate_slice, kOutputText}},
    {"list_flatten", 3, {actual_flatten, estimate_flatten, "size0 + 11"}},
    {"list_flatten_int", 3, {actual_flatten, estimate_flatten, "size0 * depth + 11"}},
    {"lists_range", 3, {actual_output, estimate_range, kOutputText}},
    {"list_reverse", 3, {actual_output, estimate_reverse, kOutputText}},
    {"list_distinct",
     3,
     {actual_distinct, estimate_distinct,
      "2 * size0 * size0 + 11; of texts 21 * size0 * size0 / 10 + 11, rounded down"}},
    {"list_int_sort", 3, kNumberSort},
    {"list_uint_sort", 3, kNumberSort},
    {"list_double_sort", 3, kNumberSort},
    {"list_bool_sort", 3, kNumberSort},
    {"list_google.protobuf.Duration_sort", 3, kNumberSort},
    {"list_google.protobuf.Timestamp_sort", 3, kNumberSort},
    {"list_string_sort", 3, kTextSort},
    {"list_bytes_sort", 3, kTextSort},
    {"list_int_sortByAssociatedKeys", 3, kNumberSort},
    {"list_uint_sortByAssociatedKeys", 3, kNumberSort},
    {"list_double_sortByAssociatedKeys", 3, kNumberSort},
    {"list_bool_sortByAssociatedKeys", 3, kNumberSort},
    {"list_google.protobuf.Duration_sortByAssociatedKeys", 3, kNumberSort},
    {"list_google.protobuf.Timestamp_sortByAssociatedKeys", 3, kNumberSort},
    {"list_string_sortByAssociatedKeys", 3, kTextSort},
    {"list_bytes_sortByAssociatedKeys", 3, kTextSort},
};

constexpr Call kSort = wrap([](CallContext& c, Value list) { return sort_by(c, list, list.as_list()); });
constexpr Call kSortBy = wrap([](CallContext& c, Value list, List keys) { return sort_by(c, list, keys); });
// Sorting checks the kinds of the elements itself.
Value sort_otherwise(CallContext& context, const Value* args, size_t count) {
  return args[1].is(Kind::List) ? kSortBy(context, args, count) : context.no_such_overload();
}
constexpr Singleton kSortSingleton = {kind_bit(Kind::List), kSort},
                    kSortBySingleton = {kind_bit(Kind::List), sort_otherwise};

// sort(), and the function behind the macro sortBy(), for elements or keys of one type.
#define SORTS(ID, TYPE, EXAMPLE, BY_EXAMPLE)                                                               \
  {.id = "list_" ID "_sort",                                                                               \
   .signature = "list(" TYPE ").sort() -> list(" TYPE ")",                                                 \
   .call = kSort,                                                                                          \
   .since = 2,                                                                                             \
   .doc = "the elements in ascending order",                                                               \
   .examples = EXAMPLE,                                                                                    \
   .singleton = kSortSingleton},                                                                           \
  {                                                                                                        \
    .id = "list_" ID "_sortByAssociatedKeys",                                                              \
    .signature = "list(T).@sortByAssociatedKeys(list(" TYPE ")) -> list(T)", .call = kSortBy, .since = 2,  \
    .doc = "the elements in the order of their keys; the macro sortBy() calls it", .examples = BY_EXAMPLE, \
    .singleton = kSortBySingleton                                                                          \
  }

constexpr Function kRows[] = {
    {.id = "list_slice",
     .signature = "list(T).slice(int, int) -> list(T)",
     .call = wrap([](CallContext& c, List l, int64_t start, int64_t end) { return slice(c, l, start, end); }),
     .doc = "the elements from one index up to, but excluding, another; error if an index is out of range",
     .examples = "[1, 2, 3, 4].slice(1, 3)  // => [2, 3]"},
    {.id = "list_flatten",
     .signature = "list(list(T)).flatten() -> list(T)",
     .call = flatten_any,
     .flags = kSelfChecked | kUnguarded,
     .since = 1,
     .doc = "the elements of a list, with nested lists replaced by their elements",
     .examples = "[[1], [2, 3], []].flatten()  // => [1, 2, 3]"},
    {.id = "list_flatten_int",
     .signature = "list(dyn).flatten(int) -> list(dyn)",
     .call = flatten_any,
     .flags = kSelfChecked | kUnguarded,
     .since = 1,
     .doc = "the elements of a list, with nested lists replaced by their elements down to a depth",
     .examples = "[1, [2, [3, [4]]]].flatten(2)  // => [1, 2, 3, [4]]"},
    SORTS("int", "int", "[3, 1, 2].sort()  // => [1, 2, 3]",
          "['b', 'a', 'c'].sortBy(x, x == 'a' ? 9 : 1)  // => ['b', 'c', 'a']"),
    SORTS("uint", "uint", "[3u, 1u].sort()  // => [1u, 3u]",
          "['b', 'a'].sortBy(x, uint(x == 'a' ? 1 : 2))  // => ['a', 'b']"),
    SORTS("double", "double", "[2.5, -1.0].sort()  // => [-1.0, 2.5]",
          "[1, 2].sortBy(x, 1.0 / double(x))  // => [2, 1]"),
    SORTS("bool", "bool", "[true, false].sort()  // => [false, true]",
          "[1, 2].sortBy(x, x == 1)  // => [2, 1]"),
    SORTS("google.protobuf.Duration", "duration",
          "[duration('2s'), duration('1s')].sort()  // => [duration('1s'), duration('2s')]",
          "['2s', '1s'].sortBy(x, duration(x))  // => ['1s', '2s']"),
    SORTS("google.protobuf.Timestamp", "timestamp",
          "[timestamp(2), timestamp(1)].sort()  // => [timestamp(1), timestamp(2)]",
          "[2, 1].sortBy(x, timestamp(x))  // => [1, 2]"),
    SORTS("string", "string", "['b', 'a', 'c'].sort()  // => ['a', 'b', 'c']",
          "[{'n': 'b'}, {'n': 'a'}].sortBy(x, x.n)  // => [{'n': 'a'}, {'n': 'b'}]"),
    SORTS("bytes", "bytes", "[b'b', b'a'].sort()  // => [b'a', b'b']",
          "['b', 'a'].sortBy(x, bytes(x))  // => ['a', 'b']"),
    {.id = "lists_range",
     .signature = "lists.range(int) -> list(int)",
     .call = wrap([](CallContext& c, int64_t n) { return range(c, n); }),
     .since = 2,
     .doc = "the integers from 0 up to, but excluding, a number",
     .examples = "lists.range(3)  // => [0, 1, 2]"},
    {.id = "list_reverse",
     .signature = "list(T).reverse() -> list(T)",
     .call = wrap([](CallContext& c, List l) { return reverse(c, l); }),
     .since = 2,
     .doc = "the elements in reverse order",
     .examples = "[5, 1, 2].reverse()  // => [2, 1, 5]"},
    {.id = "list_distinct",
     .signature = "list(T).distinct() -> list(T)",
     .call = wrap([](CallContext& c, Value list) { return distinct(c, list); }),
     .flags = kSlow,
     .since = 2,
     .doc = "the elements without duplicates; of equal elements the first stays",
     .examples = "[1, 2, 2, 3, 1].distinct()  // => [1, 2, 3]"},
};
#undef SORTS

}  // namespace

std::span<const Function> lists() { return kRows; }
std::span<const Recost> list_costs() { return kCosts; }

}  // namespace portcullis::tables
