// The optional library: values that may be absent. Source of behaviour: cel-go cel/library.go.
// Versions: 1 optFlatMap (a macro), 2 first, last, unwrap.
// Tested by tests/language/optionals.cel, tests/examples.cc.
#include "interpreter/formats/timestamp.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/print.h"

namespace portcullis::tables {
namespace {

Value some(CallContext& context, const Value& v) { return Value::optional(context.arena().make<Value>(v)); }

// cel-go's IsZeroValue; values of kinds that do not implement it are never zero.
bool is_zero(const Value& v) {
  switch (v.kind()) {
    case Kind::Null: return true;
    case Kind::Bool: return !v.as_bool();
    case Kind::Int:
    case Kind::Duration: return v.as_int() == 0;
    case Kind::Uint: return v.as_uint() == 0;
    case Kind::Double: return v.as_double() == 0;
    case Kind::String:
    case Kind::Bytes: return v.size() == 0;
    case Kind::List: return v.size() == 0 && !is_go_list(v) && !(v.flags() & kTypedList);
    case Kind::Map: return v.size() == 0 && !is_go_map(v) && !(v.flags() & kTypedMap);
    case Kind::Timestamp:
      return v.seconds() == kMinUnixSeconds && v.nanos() == 0;  // Go's zero time, not 1970
    case Kind::Struct: return v.as_struct().fields.empty();
    case Kind::Opaque:
      return v.as_opaque().cls->is_zero != nullptr && v.as_opaque().cls->is_zero(v.as_opaque());
    default: return false;
  }
}

Value unwrap(CallContext& context, List list) {
  Value* items = context.arena().array<Value>(list.size());
  size_t count = 0;
  for (const Value& v : list) {
    if (!v.is(Kind::Optional)) return context.error("value " + format_go(v) + " is not optional");
    if (v.as_optional() != nullptr) items[count++] = *v.as_optional();
  }
  return Value::list(items, count);
}

constexpr Call kUnwrap = wrap([](CallContext& c, List l) { return unwrap(c, l); });

constexpr Function kRows[] = {
    {.id = "optional_of",
     .signature = "optional.of(V) -> optional_type(V)",
     .call = wrap([](CallContext& c, Value v) { return some(c, v); }),
     .doc = "an optional with a value",
     .examples = "optional.of(1).value()  // => 1"},
    {.id = "optional_ofNonZeroValue",
     .signature = "optional.ofNonZeroValue(V) -> optional_type(V)",
     .call = wrap([](CallContext& c, Value v) { return is_zero(v) ? Value::optional(nullptr) : some(c, v); }),
     .doc = "an optional with a value; none if the value is null, false, 0, '' or otherwise empty",
     .examples = "optional.ofNonZeroValue('')  // => optional.none()\n"
                 "optional.ofNonZeroValue('hello')  // => optional.of('hello')"},
    {.id = "optional_none",
     .signature = "optional.none() -> optional_type(V)",
     .call = wrap([](CallContext&, Arguments) { return Value::optional(nullptr); }),
     .doc = "the optional without a value",
     .examples = "optional.none().hasValue()  // => false"},
    {.id = "optional_value",
     .signature = "optional_type(V).value() -> V",
     .call = wrap([](CallContext& c, Value o) {
       return o.as_optional() != nullptr ? *o.as_optional() : c.error("optional.none() dereference");
     }),
     .doc = "the value of an optional; error if it has none",
     .examples = "optional.of(b'hello').value()  // => b'hello'"},
    {.id = "optional_hasValue",
     .signature = "optional_type(V).hasValue() -> bool",
     .call = wrap([](Value o) { return o.as_optional() != nullptr; }),
     .doc = "whether an optional has a value",
     .examples = "optional.of({1: 2}).hasValue()  // => true"},
    {.id = "optional_or_optional",
     .signature = "optional_type(V).or(optional_type(V)) -> optional_type(V)",
     .cost = kFree,
     .doc = "the first optional if it has a value, else the second, which is evaluated only then",
     .examples = "optional.none().or(optional.of(1))  // => optional.of(1)",
     .builtin = Builtin::Or},
    {.id = "optional_orValue_value",
     .signature = "optional_type(V).orValue(V) -> V",
     .cost = kFree,
     .doc = "the value of an optional if it has one, else another value, which is evaluated only then",
     .examples = "{'hello': 'world'}[?'goodbye'].orValue('you')  // => 'you'",
     .builtin = Builtin::OrValue},
    {.id = "select_optional_field",
     .signature = "_?._(dyn, string) -> optional_type(V)",
     .cost = kOptionalIndex,
     .doc = "an optional with the field, if it is present",
     .examples = "{'a': 1}.?a  // => optional.of(1)\n{'a': 1}.?b  // => optional.none()"},
    {.id = "list_optindex_optional_int",
     .signature = "_[?_](list(V), int) -> optional_type(V)",
     .cost = kOptionalIndex,
     .doc = "an optional with the element, if the list is long enough",
     .examples = "[1, 2, 3][?1]  // => optional.of(2)\n[1, 2, 3][?3]  // => optional.none()"},
    {.id = "optional_list_optindex_optional_int",
     .signature = "_[?_](optional_type(list(V)), int) -> optional_type(V)",
     .cost = kOptionalIndex,
     .doc = "an optional with the element, if there is a list and it is long enough",
     .examples = "optional.of([1])[?0]  // => optional.of(1)"},
    {.id = "map_optindex_optional_value",
     .signature = "_[?_](map(K, V), K) -> optional_type(V)",
     .cost = kOptionalIndex,
     .doc = "an optional with the value, if the map has the key",
     .examples = "{0: 2}[?0]  // => optional.of(2)\n{0: 2}[?1]  // => optional.none()"},
    {.id = "optional_map_optindex_optional_value",
     .signature = "_[?_](optional_type(map(K, V)), K) -> optional_type(V)",
     .cost = kOptionalIndex,
     .doc = "an optional with the value, if there is a map and it has the key",
     .examples = "optional.of({'a': 1})[?'a']  // => optional.of(1)"},
    {.id = "optional_list_index_int",
     .signature = "_[_](optional_type(list(V)), int) -> optional_type(V)",
     .cost = kOptionalIndex,
     .doc = "an optional with the element of the list in an optional",
     .examples = "optional.of([1])[0]  // => optional.of(1)"},
    {.id = "optional_map_index_value",
     .signature = "_[_](optional_type(map(K, V)), K) -> optional_type(V)",
     .cost = kOptionalIndex,
     .doc = "an optional with the value of the map in an optional",
     .examples = "optional.of({'a': 1})['a']  // => optional.of(1)"},
    {.id = "list_last",
     .signature = "list(V).last() -> optional_type(V)",
     .call = wrap(
         [](CallContext& c, List l) { return l.empty() ? Value::optional(nullptr) : some(c, l.back()); }),
     .since = 2,
     .doc = "an optional with the last element, if there is one",
     .examples = "[1, 2, 3].last()  // => optional.of(3)\n[].last()  // => optional.none()"},
    {.id = "list_first",
     .signature = "list(V).first() -> optional_type(V)",
     .call = wrap(
         [](CallContext& c, List l) { return l.empty() ? Value::optional(nullptr) : some(c, l.front()); }),
     .since = 2,
     .doc = "an optional with the first element, if there is one",
     .examples = "[1, 2, 3].first()  // => optional.of(1)\n[].first()  // => optional.none()"},
    {.id = "optional_unwrap",
     .signature = "optional.unwrap(list(optional_type(V))) -> list(V)",
     .call = kUnwrap,
     .since = 2,
     .doc = "the values of all optionals that have one",
     .examples = "optional.unwrap([optional.of(1), optional.none()])  // => [1]"},
    {.id = "optional_unwrapOpt",
     .signature = "list(optional_type(V)).unwrapOpt() -> list(V)",
     .call = kUnwrap,
     .since = 2,
     .doc = "the values of all optionals that have one",
     .examples = "[optional.of(1), optional.none()].unwrapOpt()  // => [1]"},
};

}  // namespace

std::span<const Function> optionals() { return kRows; }

}  // namespace portcullis::tables
