// The sets library: lists as sets, by CEL equality. Source of behaviour: cel-go ext/sets.go.
// Tested by tests/language/lists.cel, tests/examples.cc.
#include <algorithm>

#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/elements.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/list_types.h"

namespace portcullis::tables {
namespace {

constexpr size_t kFewPairs = 1024;  // with at most so many comparisons, no set is built

// Whether some (`all` false) or every (`all` true) element of `asked` is in `list`.
bool found(CallContext& context, List list, List asked, bool all) {
  Arena& arena = context.arena();
  auto in_list = [&](const Value& v) {
    return std::any_of(list.begin(), list.end(), [&](const Value& item) { return equals(v, item, arena); });
  };
  if (list.size() * asked.size() <= kFewPairs) {
    return all ? std::all_of(asked.begin(), asked.end(), in_list)
               : std::any_of(asked.begin(), asked.end(), in_list);
  }
  ElementSet set(arena, list);
  for (const Value& v : list) set.add(v);
  auto in_set = [&](const Value& v) { return set.contains(v); };
  return all ? std::all_of(asked.begin(), asked.end(), in_set)
             : std::any_of(asked.begin(), asked.end(), in_set);
}

// The same for lists that may contain, at any depth, data that does not fit its schema: errors then count as
// they do for `in`.
Value ask(CallContext& context, const Value& list, const Value& asked, bool all) {
  auto is_scalar = [](const Value& v) {
    return !v.is_error() && !v.is(Kind::List) && !v.is(Kind::Map) && !v.is(Kind::Optional);
  };
  auto all_scalars = [&](const Value& v) {
    return std::all_of(v.as_list().begin(), v.as_list().end(), is_scalar);
  };
  if (!(list.flags() & kTypedList) || (all_scalars(list) && all_scalars(asked))) {
    return Value::boolean(found(context, list.as_list(), asked.as_list(), all));
  }
  for (const Value& v : asked.as_list()) {
    Value in = contains_typed(list, v, context.arena());
    if (in.is_true() != all) return in;
  }
  return Value::boolean(all);
}

constexpr Cost kOnce = {outer_by<shapes::kPairs>, estimate_by<shapes::kPairs>, "size0 * size1 + 1"};
constexpr Cost kTwice = {outer_by<shapes::kPairsTwice>, estimate_by<shapes::kPairsTwice>,
                         "2 * size0 * size1 + 1"};

constexpr Function kRows[] = {
    {.id = "list_sets_contains_list",
     .signature = "sets.contains(list(T), list(T)) -> bool",
     .call =
         wrap([](CallContext& c, const Value& list, const Value& part) { return ask(c, list, part, true); }),
     .cost = kOnce,
     .flags = kCostRegistered | kSlow,
     .doc = "whether every element of the second list is in the first",
     .examples = "sets.contains([1, 2, 3, 4], [2, 3])  // => true\nsets.contains([], [1])  // => false"},
    {.id = "list_sets_equivalent_list",
     .signature = "sets.equivalent(list(T), list(T)) -> bool",
     .call = wrap([](CallContext& c, const Value& a, const Value& b) {
       Value there = ask(c, a, b, true);
       return there.is_true() ? ask(c, b, a, true) : there;
     }),
     .cost = kTwice,
     .flags = kCostRegistered | kSlow,
     .doc = "whether both lists have the same elements, whatever their order and number",
     .examples = "sets.equivalent([1], [1, 1])  // => true\nsets.equivalent([1], [1, 2])  // => false"},
    {.id = "list_sets_intersects_list",
     .signature = "sets.intersects(list(T), list(T)) -> bool",
     .call = wrap([](CallContext& c, const Value& a, const Value& b) { return ask(c, b, a, false); }),
     .cost = kOnce,
     .flags = kCostRegistered | kSlow,
     .doc = "whether the lists have an element in common",
     .examples = "sets.intersects([1], [1, 2])  // => true\nsets.intersects([1], [])  // => false"},
};

}  // namespace

std::span<const Function> sets() { return kRows; }

}  // namespace portcullis::tables
