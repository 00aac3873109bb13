// The operators == != < <= > >=. Numbers of different types compare by value. The checker accepts such
// comparisons only with the option cross_type_numeric_comparisons; at run time any two numbers can be
// compared.
// Source of behaviour: cel-go common/types (compare.go and the Compare of each type).
// Tested by tests/language/operators.cel, tests/language/numbers.cel, tests/examples.cc.
#include "interpreter/values/compare.h"

#include <cmath>

#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

constexpr auto kLess = [](int64_t order) { return order < 0; };
constexpr auto kLessEquals = [](int64_t order) { return order <= 0; };
constexpr auto kGreater = [](int64_t order) { return order > 0; };
constexpr auto kGreaterEquals = [](int64_t order) { return order >= 0; };

template <auto Holds>
Value ordered(CallContext& context, const Value* args, size_t) {
  Value order = compare_value(args[0], args[1], context.arena());
  return order.is_error() ? order : Value::boolean(Holds(order.as_int()));
}

constexpr Cost kText = {actual_comparison, estimate_comparison, "min(size0, size1) / 10"};

// As in cel-go, a NaN on the left fails before the kind of the other operand matters.
Value not_ordered(CallContext& context, const Value* args, size_t) {
  bool nan = args[0].is(Kind::Double) && std::isnan(args[0].as_double());
  return nan ? compare_value(args[0], args[1], context.arena()) : context.no_such_overload();
}

constexpr Function ordering(std::string_view id, std::string_view signature, Call call, std::string_view doc,
                            std::string_view examples, Cost cost = {}) {
  return {.id = id,
          .signature = signature,
          .call = call,
          .cost = cost,
          .doc = doc,
          .examples = examples,
          .singleton = {kNumberKinds | kTextKinds | kTimeKinds | kind_bit(Kind::Bool), not_ordered}};
}

// The fourteen overloads of one operator. In every example the left operand is the smaller one, so all have
// the value TRUTH.
#define ORDERINGS(ID, OP, CALL, DOC, TRUTH)                                                                 \
  ordering(ID "_bool", "_" OP "_(bool, bool) -> bool", CALL, DOC "; false is less than true",               \
           "false " OP " true  // => " TRUTH),                                                              \
      ordering(ID "_int64", "_" OP "_(int, int) -> bool", CALL, DOC, "-2 " OP " 3  // => " TRUTH),          \
      ordering(ID "_int64_double", "_" OP "_(int, double) -> bool", CALL, DOC,                              \
               "1 " OP " 1.1  // => " TRUTH),                                                               \
      ordering(ID "_int64_uint64", "_" OP "_(int, uint) -> bool", CALL, DOC, "1 " OP " 2u  // => " TRUTH),  \
      ordering(ID "_uint64", "_" OP "_(uint, uint) -> bool", CALL, DOC, "1u " OP " 2u  // => " TRUTH),      \
      ordering(ID "_uint64_double", "_" OP "_(uint, double) -> bool", CALL, DOC,                            \
               "1u " OP " 1.9  // => " TRUTH),                                                              \
      ordering(ID "_uint64_int64", "_" OP "_(uint, int) -> bool", CALL, DOC, "1u " OP " 23  // => " TRUTH), \
      ordering(ID "_double", "_" OP "_(double, double) -> bool", CALL, DOC "; error if one is NaN",         \
               "2.0 " OP " 2.4  // => " TRUTH),                                                             \
      ordering(ID "_double_int64", "_" OP "_(double, int) -> bool", CALL, DOC,                              \
               "2.1 " OP " 3  // => " TRUTH),                                                               \
      ordering(ID "_double_uint64", "_" OP "_(double, uint) -> bool", CALL, DOC,                            \
               "-1.0 " OP " 1u  // => " TRUTH),                                                             \
      ordering(ID "_string", "_" OP "_(string, string) -> bool", CALL, DOC ", by code points",              \
               "'cab' " OP " 'cat'  // => " TRUTH, kText),                                                  \
      ordering(ID "_bytes", "_" OP "_(bytes, bytes) -> bool", CALL, DOC,                                    \
               "b'hello' " OP " b'world'  // => " TRUTH, kText),                                            \
      ordering(ID "_timestamp", "_" OP "_(timestamp, timestamp) -> bool", CALL, DOC,                        \
               "timestamp('2001-01-01T02:03:04Z') " OP " timestamp('2002-02-02T02:03:04Z')  // => " TRUTH), \
      ordering(ID "_duration", "_" OP "_(duration, duration) -> bool", CALL, DOC,                           \
               "duration('1ms') " OP " duration('1s')  // => " TRUTH)

constexpr Function kRows[] = {
    {.id = "equals",
     .signature = "_==_(A, A) -> bool",
     .cost = kText,
     .doc = "whether two values are equal; numbers are compared by value, values of other different types "
            "are unequal",
     .examples = "1 == 1  // => true\ndyn(3.0) == 3  // => true\n[1, 2] == [2, 1]  // => false"},
    {.id = "not_equals",
     .signature = "_!=_(A, A) -> bool",
     .cost = kText,
     .doc = "whether two values are unequal",
     .examples = "1 != 2  // => true\n'a' != 'a'  // => false"},
    ORDERINGS("less", "<", ordered<kLess>, "whether the left side is smaller", "true"),
    ORDERINGS("less_equals", "<=", ordered<kLessEquals>, "whether the left side is smaller or equal", "true"),
    ORDERINGS("greater", ">", ordered<kGreater>, "whether the left side is larger", "false"),
    ORDERINGS("greater_equals", ">=", ordered<kGreaterEquals>, "whether the left side is larger or equal",
              "false"),
};
#undef ORDERINGS

}  // namespace

std::span<const Function> comparison() { return kRows; }

}  // namespace portcullis::tables
