// Library kubernetes.quantity: numbers with units. See admission/scalars/quantity.h for the arithmetic.
#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "interpreter/functions/call.h"

namespace portcullis::kubernetes {
namespace {

const Quantity& quantity_of(const Opaque& o) { return static_cast<const QuantityValue&>(o).quantity; }

Value equal(const Opaque& self, const Value& other, Arena& arena) {
  // Upstream does not recognise the result of add() or sub() as a right operand, since it expects the value
  // form.
  const auto* right = as<QuantityValue>(other, kQuantityClass);
  if (!right) return no_such_overload(arena);
  return Value::boolean(quantity::compare(arena, quantity_of(self), right->quantity) == 0);
}

std::string_view print(const Opaque& self, Arena& arena) {
  return arena.copy(quantity::print(arena, quantity_of(self)));
}

// The result of add() and sub().
Value result(CallContext& context, const std::optional<Quantity>& q) {
  if (!q) return context.error(quantity::kTooLarge);
  return Value::opaque(context.arena().make<QuantityValue>(Opaque{&kQuantityResultClass}, *q));
}

// `text` must outlive the value.
Value parse(Arena& arena, std::string_view text) {
  Quantity q;
  if (std::string_view error = quantity::parse(arena, text, q); !error.empty())
    return make_error(arena, error);
  return Value::opaque(arena.make<QuantityValue>(Opaque{&kQuantityClass}, q));
}

using Q = const QuantityValue&;

constexpr Function kRows[] = {
    {.id = "string_to_quantity",
     .signature = "quantity(string) -> kubernetes.Quantity",
     .call = wrap([](CallContext& c, std::string_view s) { return parse(c.arena(), s); }),
     .doc = "the quantity in a string; error if it is none",
     .examples = "quantity('1.5Gi').isGreaterThan(quantity('1G'))  // => true"},
    {.id = "is_quantity_string",
     .signature = "isQuantity(string) -> bool",
     .call = wrap([](CallContext& c, std::string_view s) {
       Quantity q;
       return quantity::parse(c.arena(), s, q).empty();
     }),
     .doc = "whether the string is a quantity",
     .examples = "isQuantity('10Mo')  // => false"},
    {.id = "quantity_sign",
     .signature = "sign(kubernetes.Quantity) -> int",
     .call = wrap([](Q q) { return int64_t{q.quantity.sign()}; }),
     .doc = "-1, 0 or 1 for a negative quantity, zero or a positive one; a global function, unlike the "
            "others of this library",
     .examples = "sign(quantity('-5k'))  // => -1"},
    {.id = "quantity_is_greater_than",
     .signature = "kubernetes.Quantity.isGreaterThan(kubernetes.Quantity) -> bool",
     .call = wrap(
         [](CallContext& c, Q a, Q b) { return quantity::compare(c.arena(), a.quantity, b.quantity) > 0; }),
     .doc = "whether the receiver is greater than the argument",
     .examples = "quantity('150Mi').isGreaterThan(quantity('100Mi'))  // => true"},
    {.id = "quantity_is_less_than",
     .signature = "kubernetes.Quantity.isLessThan(kubernetes.Quantity) -> bool",
     .call = wrap(
         [](CallContext& c, Q a, Q b) { return quantity::compare(c.arena(), a.quantity, b.quantity) < 0; }),
     .doc = "whether the receiver is smaller than the argument",
     .examples = "quantity('150Mi').isLessThan(quantity('1M'))  // => false"},
    {.id = "quantity_compare_to",
     .signature = "kubernetes.Quantity.compareTo(kubernetes.Quantity) -> int",
     .call = wrap([](CallContext& c, Q a, Q b) {
       return int64_t{quantity::compare(c.arena(), a.quantity, b.quantity)};
     }),
     .doc = "-1, 0 or 1 if the receiver is smaller than the argument, equal or greater",
     .examples = "quantity('1k').compareTo(quantity('1000'))  // => 0"},
    {.id = "quantity_get_float",
     .signature = "kubernetes.Quantity.asApproximateFloat() -> double",
     .call = wrap([](Q q) { return quantity::as_double(q.quantity); }),
     .doc = "the nearest double, or one next to it",
     .examples = "quantity('50.703k').asApproximateFloat()  // => 50703.0"},
    {.id = "quantity_get_int",
     .signature = "kubernetes.Quantity.asInteger() -> int",
     .call = wrap([](CallContext& c, Q q) {
       std::optional<int64_t> n = quantity::as_int(q.quantity);
       return n ? Value::integer(*n) : c.error("cannot convert value to integer");
     }),
     .doc = "the quantity as an int; error if isInteger() is false",
     .examples = "quantity('50k').asInteger()  // => 50000"},
    {.id = "quantity_is_integer",
     .signature = "kubernetes.Quantity.isInteger() -> bool",
     .call = wrap([](Q q) { return quantity::as_int(q.quantity).has_value(); }),
     .doc = "whether asInteger() succeeds: not for fractions, not even '1.0', and not for numbers with many "
            "digits",
     .examples = "quantity('1000m').isInteger()  // => false"},
    {.id = "quantity_add",
     .signature = "kubernetes.Quantity.add(kubernetes.Quantity) -> kubernetes.Quantity",
     .call = wrap([](CallContext& c, Q a, Q b) {
       return result(c, quantity::add(c.arena(), a.quantity, b.quantity));
     }),
     .doc = "the exact sum",
     .examples = "quantity('50k').add(quantity('20')) == quantity('50020')  // => true"},
    {.id = "quantity_add_int",
     .signature = "kubernetes.Quantity.add(int) -> kubernetes.Quantity",
     .call = wrap([](CallContext& c, Q a, int64_t n) {
       return result(c, quantity::add(c.arena(), a.quantity, quantity::from_int(n)));
     }),
     .doc = "the exact sum",
     .examples = "quantity('50k').add(20) == quantity('50020')  // => true"},
    {.id = "quantity_sub",
     .signature = "kubernetes.Quantity.sub(kubernetes.Quantity) -> kubernetes.Quantity",
     .call = wrap([](CallContext& c, Q a, Q b) {
       return result(c, quantity::subtract(c.arena(), a.quantity, b.quantity));
     }),
     .doc = "the exact difference",
     .examples = "quantity('50k').sub(quantity('20k')) == quantity('30k')  // => true"},
    {.id = "quantity_sub_int",
     .signature = "kubernetes.Quantity.sub(int) -> kubernetes.Quantity",
     .call = wrap([](CallContext& c, Q a, int64_t n) {
       return result(c, quantity::subtract(c.arena(), a.quantity, quantity::from_int(n)));
     }),
     .doc = "the exact difference",
     .examples = "quantity('50k').sub(20000) == quantity('30k')  // => true"},
};

}  // namespace

const OpaqueClass kQuantityClass = {
    .type_name = "kubernetes.Quantity", .equal = equal, .print = print, .go_type = "cel.Quantity"};
const OpaqueClass kQuantityResultClass = {
    .type_name = "kubernetes.Quantity", .equal = equal, .print = print, .go_type = "*cel.Quantity"};
const Library kQuantity = {.name = "kubernetes.quantity",
                           .functions = kRows,
                           .doc = "numbers with units as in resource requests, exact at any size"};

Value quantity_value(Arena& arena, std::string_view text) { return parse(arena, arena.copy(text)); }

}  // namespace portcullis::kubernetes
