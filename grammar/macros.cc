#include "grammar/macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace portcullis {

namespace {

using Key = std::tuple<std::string_view, int, bool>;
Key key_of(const Macro* row) { return {row->name, row->arity, row->receiver}; }

}  // namespace

void MacroTable::add(std::span<const Macro> rows, uint8_t version) {
  for (const Macro& row : rows) {
    if (row.since > version) continue;
    const auto at = std::ranges::lower_bound(rows_, key_of(&row), {}, key_of);
    if (at != rows_.end() && key_of(*at) == key_of(&row)) {
      *at = &row;
    } else {
      rows_.insert(at, &row);
    }
  }
}

const Macro* MacroTable::find(std::string_view name, size_t arity, bool receiver) const {
  for (const int count : {static_cast<int>(arity), static_cast<int>(kVarArgs)}) {
    const Key key{name, count, receiver};
    const auto row = std::ranges::lower_bound(rows_, key, {}, key_of);
    if (row != rows_.end() && key_of(*row) == key) return *row;
  }
  return nullptr;
}

namespace {

using Args = std::span<Expr* const>;
namespace op = operators;

constexpr std::string_view kUnused = "#unused", kMapInsert = "cel.@mapInsert",
                           kSortInput = "@__sortBy_input__";
constexpr std::string_view kOverwrites = "iteration variable overwrites accumulator variable";

bool is_ident(const Expr* expr, std::string_view name) {
  return expr->kind == ExprKind::Ident && expr->name == name;
}

bool is_accumulator(const Expansion& x, std::string_view name) {
  return name == x.accumulator_name() || name == kLegacyAccumulator;
}

// The iteration variables of a comprehension: one, or two (then `second` is not empty).
struct Variables {
  std::string first;
  std::string second;
};

// The initial value, condition, step and result of a comprehension. An expansion makes the nodes in this
// order.
struct Accumulation {
  Expr* init;
  Expr* condition;
  Expr* step;
  Expr* result;
};

Expr* fold_over(Expansion& x, Expr* range, const Variables& variables, const Accumulation& fold) {
  return x.comprehension({.range = range,
                          .iter_var = variables.first,
                          .iter_var2 = variables.second,
                          .accu_var = std::string(x.accumulator_name()),
                          .accu_init = fold.init,
                          .loop_condition = fold.condition,
                          .loop_step = fold.step,
                          .result = fold.result});
}

// Binds `variable` to `init` in `body`: a comprehension over an empty list, whose accumulator is the
// variable.
Expr* let(Expansion& x, std::string_view variable, Expr* init, Expr* step, Expr* body, Expr* nothing,
          Expr* never) {
  return x.comprehension({.range = nothing,
                          .iter_var = std::string(kUnused),
                          .iter_var2 = {},
                          .accu_var = std::string(variable),
                          .accu_init = init,
                          .loop_condition = never,
                          .loop_step = step,
                          .result = body});
}

// Reads one iteration variable. Other arguments fail with `complaint`, the text of this macro; returns false
// then.
bool one_variable(Expansion& x, const Expr* arg, std::string_view complaint, Variables& out) {
  if (arg->kind != ExprKind::Ident) return x.fail(arg, std::string(complaint));
  if (is_accumulator(x, arg->name)) return x.fail(arg, std::string(kOverwrites));
  out.first = arg->name;
  return true;
}

bool two_variables(Expansion& x, Args args, Variables& out) {
  for (const Expr* arg : args.first(2)) {
    if (arg->kind != ExprKind::Ident) return x.fail(arg, "argument must be a simple name");
  }
  if (args[0]->name == args[1]->name) {
    return x.fail(args[1], fmt::format("duplicate variable name: {}", args[0]->name));
  }
  for (const Expr* arg : args.first(2)) {
    if (is_accumulator(x, arg->name)) return x.fail(arg, std::string(kOverwrites));
  }
  out = {args[0]->name, args[1]->name};
  return true;
}

// --- Folds, shared by the forms with one and with two variables ---

Accumulation all_fold(Expansion& x, Expr* predicate) {
  Accumulation out;
  out.init = x.literal(true);
  out.condition = x.call(op::kNotStrictlyFalse, {x.accumulator()});
  Expr* accumulator = x.accumulator();
  out.step = x.call(op::kLogicalAnd, {accumulator, predicate});
  out.result = x.accumulator();
  return out;
}

Accumulation exists_fold(Expansion& x, Expr* predicate) {
  Accumulation out;
  out.init = x.literal(false);
  out.condition = x.call(op::kNotStrictlyFalse, {x.call(op::kLogicalNot, {x.accumulator()})});
  Expr* accumulator = x.accumulator();
  out.step = x.call(op::kLogicalOr, {accumulator, predicate});
  out.result = x.accumulator();
  return out;
}

Accumulation exists_one_fold(Expansion& x, Expr* predicate) {
  Accumulation out;
  out.init = x.literal(int64_t{0});
  out.condition = x.literal(true);
  Expr* count = x.accumulator();
  Expr* one = x.literal(int64_t{1});
  Expr* more = x.call(op::kAdd, {count, one});
  Expr* same = x.accumulator();
  out.step = x.call(op::kConditional, {predicate, more, same});
  count = x.accumulator();
  one = x.literal(int64_t{1});
  out.result = x.call(op::kEquals, {count, one});
  return out;
}

// Takes the step only where `filter` holds (null: everywhere).
Expr* filtered(Expansion& x, Expr* filter, Expr* step) {
  return filter ? x.call(op::kConditional, {filter, step, x.accumulator()}) : step;
}

Accumulation list_fold(Expansion& x, Expr* filter, Expr* element) {
  Accumulation out;
  out.init = x.list({});
  out.condition = x.literal(true);
  Expr* accumulator = x.accumulator();
  Expr* last = x.list({element});
  out.step = filtered(x, filter, x.call(op::kAdd, {accumulator, last}));
  out.result = x.accumulator();
  return out;
}

// Makes the step before the initial value, as cel-go does; ids depend on it.
Accumulation map_fold(Expansion& x, Expr* filter, Expr* step) {
  Accumulation out;
  out.step = filtered(x, filter, step);
  out.init = x.map();
  out.condition = x.literal(true);
  out.result = x.accumulator();
  return out;
}

// --- Standard macros ---

Expr* expand_has(Expansion& x, Expr*, Args args) {
  if (args[0]->kind != ExprKind::Select) return x.fail(args[0], "invalid argument to has() macro");
  return x.presence_test(args[0]->target, args[0]->name);
}

template <Accumulation (*kFold)(Expansion&, Expr*)>
Expr* expand_quantifier(Expansion& x, Expr* target, Args args) {
  Variables variables;
  if (!one_variable(x, args[0], "argument must be a simple name", variables)) return nullptr;
  return fold_over(x, target, variables, kFold(x, args[1]));
}

Expr* expand_map(Expansion& x, Expr* target, Args args) {
  Variables variables;
  if (!one_variable(x, args[0], "argument is not an identifier", variables)) return nullptr;
  return fold_over(x, target, variables, list_fold(x, args.size() == 3 ? args[1] : nullptr, args.back()));
}

Expr* expand_filter(Expansion& x, Expr* target, Args args) {
  Variables variables;
  if (!one_variable(x, args[0], "argument is not an identifier", variables)) return nullptr;
  return fold_over(x, target, variables, list_fold(x, args[1], args[0]));
}

// --- Two-variable comprehensions ---

template <Accumulation (*kFold)(Expansion&, Expr*)>
Expr* expand_quantifier2(Expansion& x, Expr* target, Args args) {
  Variables variables;
  if (!two_variables(x, args, variables)) return nullptr;
  return fold_over(x, target, variables, kFold(x, args[2]));
}

Expr* optional_filter(Args args) { return args.size() == 4 ? args[2] : nullptr; }

Expr* expand_transform_list(Expansion& x, Expr* target, Args args) {
  Variables variables;
  if (!two_variables(x, args, variables)) return nullptr;
  Expr* accumulator = x.accumulator();
  Expr* last = x.list({args.back()});
  Accumulation fold;
  fold.step = filtered(x, optional_filter(args), x.call(op::kAdd, {accumulator, last}));
  fold.init = x.list({});
  fold.condition = x.literal(true);
  fold.result = x.accumulator();
  return fold_over(x, target, variables, fold);
}

Expr* expand_transform_map(Expansion& x, Expr* target, Args args) {
  Variables variables;
  if (!two_variables(x, args, variables)) return nullptr;
  Expr* accumulator = x.accumulator();
  Expr* key = x.ident(variables.first);
  Expr* step = x.call(kMapInsert, {accumulator, key, args.back()});
  return fold_over(x, target, variables, map_fold(x, optional_filter(args), step));
}

Expr* expand_transform_map_entry(Expansion& x, Expr* target, Args args) {
  Variables variables;
  if (!two_variables(x, args, variables)) return nullptr;
  Expr* step = x.call(kMapInsert, {x.accumulator(), args.back()});
  return fold_over(x, target, variables, map_fold(x, optional_filter(args), step));
}

// --- Bindings, optionals, lists ---

Expr* expand_bind(Expansion& x, Expr* target, Args args) {
  if (!is_ident(target, "cel")) return nullptr;
  if (args[0]->kind != ExprKind::Ident)
    return x.fail(args[0], "cel.bind() variable names must be simple identifiers");
  Expr* nothing = x.list({});
  Expr* never = x.literal(false);
  Expr* step = x.ident(args[0]->name);
  return let(x, args[0]->name, args[1], step, args[2], nothing, never);
}

// target.value() bound to the variable args[0] in args[1].
Expr* bind_value(Expansion& x, const Expr* target, Args args) {
  Expr* nothing = x.list({});
  Expr* again = x.copy(target);
  Expr* value = x.member_call("value", again, {});
  Expr* never = x.literal(false);
  Expr* step = x.ident(args[0]->name);
  return let(x, args[0]->name, value, step, args[1], nothing, never);
}

template <bool kFlat>
Expr* expand_opt_map(Expansion& x, Expr* target, Args args) {
  if (args[0]->kind != ExprKind::Ident) {
    return x.fail(args[0], fmt::format("{}() variable name must be a simple identifier",
                                       kFlat ? "optFlatMap" : "optMap"));
  }
  Expr* has_value = x.member_call("hasValue", target, {});
  Expr* mapped = bind_value(x, target, args);
  if (!kFlat) mapped = x.call("optional.of", {mapped});
  Expr* none = x.call("optional.none", {});
  return x.call(op::kConditional, {has_value, mapped, none});
}

bool can_be_list(ExprKind kind) {
  return kind == ExprKind::List || kind == ExprKind::Select || kind == ExprKind::Ident ||
         kind == ExprKind::Comprehension || kind == ExprKind::Call;
}

Expr* expand_sort_by(Expansion& x, Expr* target, Args args) {
  Expr* input = x.ident(kSortInput);
  if (!can_be_list(target->kind)) {
    return x.fail(
        target, "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
  }
  Expr* keys = expand_map(x, x.copy(input), args);
  if (!keys) return nullptr;
  Expr* sorted = x.member_call("@sortByAssociatedKeys", x.copy(input), {keys});
  Expr* nothing = x.list({});
  Expr* never = x.literal(false);
  return let(x, kSortInput, target, input, sorted, nothing, never);
}

// --- Math ---

bool may_be_number(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::Literal:
      return std::holds_alternative<int64_t>(expr->literal) ||
             std::holds_alternative<uint64_t>(expr->literal) || std::holds_alternative<double>(expr->literal);
    case ExprKind::List:
    case ExprKind::Map:
    case ExprKind::Struct: return false;
    default: return true;
  }
}

bool is_list_of_numbers(const Expr* expr) {
  if (expr->kind != ExprKind::List || expr->args.empty()) return false;
  for (const Expr* element : expr->args) {
    if (!may_be_number(element)) return false;
  }
  return true;
}

struct Extremum {
  std::string_view name, function;
};
constexpr Extremum kLeast = {"math.least()", "math.@min"}, kGreatest = {"math.greatest()", "math.@max"};

template <const Extremum& kWhich>
Expr* expand_extremum(Expansion& x, Expr* target, Args args) {
  if (!is_ident(target, "math")) return nullptr;
  if (args.empty()) return x.fail(target, fmt::format("{} requires at least one argument", kWhich.name));
  if (args.size() == 1) {
    if (is_list_of_numbers(args[0]) || may_be_number(args[0])) return x.call(kWhich.function, {args[0]});
    return x.fail(args[0], fmt::format("{} invalid single argument value", kWhich.name));
  }
  for (const Expr* arg : args) {
    if (!may_be_number(arg)) {
      return x.fail(arg, fmt::format("{} simple literal arguments must be numeric", kWhich.name));
    }
  }
  const std::vector<Expr*> all(args.begin(), args.end());
  return x.call(kWhich.function, all.size() == 2 ? all : std::vector<Expr*>{x.list(all)});
}

// --- Protobuf extensions ---

// "a.b.c" for a chain of selects on an identifier; empty for other expressions.
std::string dotted_name(const Expr* expr) {
  if (expr->kind == ExprKind::Ident) return expr->name;
  if (expr->kind != ExprKind::Select || expr->test_only) return {};
  const std::string operand = dotted_name(expr->target);
  return operand.empty() ? operand : operand + "." + expr->name;
}

template <bool kTest>
Expr* expand_extension(Expansion& x, Expr* target, Args args) {
  if (!is_ident(target, "proto")) return nullptr;
  const std::string field = args[1]->kind == ExprKind::Select ? dotted_name(args[1]) : std::string();
  if (field.empty()) return x.fail(args[1], "invalid extension field");
  return kTest ? x.presence_test(args[0], field) : x.select(args[0], field);
}

// --- cel.@block, in the notation of cel-spec's tests ---

const int64_t* index_literal(const Expr* expr) {
  const int64_t* value = expr->kind == ExprKind::Literal ? std::get_if<int64_t>(&expr->literal) : nullptr;
  return value && *value >= 0 ? value : nullptr;
}

Expr* expand_block(Expansion& x, Expr* target, Args args) {
  if (!is_ident(target, "cel")) return nullptr;
  if (args[0]->kind != ExprKind::List)
    return x.fail(args[0], "cel.block requires the first arg to be a list literal");
  return x.call("cel.@block", {args[0], args[1]});
}

Expr* expand_index(Expansion& x, Expr* target, Args args) {
  if (!is_ident(target, "cel")) return nullptr;
  const int64_t* slot = index_literal(args[0]);
  if (!slot) return x.fail(args[0], "cel.index requires a single non-negative int constant arg");
  return x.ident(fmt::format("@index{}", *slot));
}

struct LoopVariable {
  std::string_view name, prefix;
};
constexpr LoopVariable kIterVar = {"cel.iterVar", "@it"}, kAccuVar = {"cel.accuVar", "@ac"};

template <const LoopVariable& kWhich>
Expr* expand_loop_variable(Expansion& x, Expr* target, Args args) {
  if (!is_ident(target, "cel")) return nullptr;
  const int64_t *depth = index_literal(args[0]), *unique = index_literal(args[1]);
  if (!depth || !unique) {
    return x.fail(depth ? args[1] : args[0],
                  fmt::format("{} requires two non-negative int constant args", kWhich.name));
  }
  return x.ident(fmt::format("{}:{}:{}", kWhich.prefix, *depth, *unique));
}

// --- Rows ---

constexpr Macro kParser[] = {
    {"has", 1, false, expand_has, 0, "whether a field of a message is set, or a map has the string key",
     "has({'a': 1}.a)  // => true\nhas({'a': 1}.b)  // => false"},
    {"all", 2, true, expand_quantifier<all_fold>, 0,
     "whether the predicate holds for all elements of a list or keys of a map; like &&, a false absorbs "
     "errors",
     "[1, 2, 3].all(x, x > 0)  // => true\n{'a': 1, 'b': 2}.all(k, k != 'b')  // => false\n[].all(x, x > 0)  "
     "// => true"},
    {"exists", 2, true, expand_quantifier<exists_fold>, 0,
     "whether the predicate holds for some element of a list or key of a map; like ||, a true absorbs errors",
     "[1, 2, 3].exists(x, x % 2 == 0)  // => true\n[].exists(x, x > 0)  // => false"},
    {"exists_one", 2, true, expand_quantifier<exists_one_fold>, 0,
     "whether the predicate holds for exactly one element of a list or key of a map; errors are not absorbed",
     "[1, 2, 2].exists_one(x, x < 2)  // => true\n[1, 2, 2].exists_one(x, x == 2)  // => false"},
    {"map", 2, true, expand_map, 0, "the list of the expression's values for each element or key",
     "[1, 2, 3].map(x, x * 2)  // => [2, 4, 6]"},
    {"map", 3, true, expand_map, 0,
     "the list of the expression's values for each element or key for which the predicate holds",
     "[1, 2, 3, 4].map(x, x % 2 == 0, x * 2)  // => [4, 8]"},
    {"filter", 2, true, expand_filter, 0, "the list of the elements or keys for which the predicate holds",
     "[1, 2, 3].filter(x, x > 1)  // => [2, 3]\n{'a': 1, 'b': 2}.filter(k, k != 'a')  // => ['b']"},
    // cel-go's bare parser has this macro; its standard environment has not.
    {"existsOne", 2, true, expand_quantifier<exists_one_fold>, 0, "exists_one under another name", ""},
};
constexpr size_t kStandardCount = std::size(kParser) - 1;

constexpr Macro kOptionals[] = {
    {"optMap", 2, true, expand_opt_map<false>, 0,
     "an optional with the expression's value for the value of an optional; none stays none",
     "optional.of(2).optMap(x, x * 2).value()  // => 4\noptional.none().optMap(x, x).hasValue()  // => "
     "false"},
    {"optFlatMap", 2, true, expand_opt_map<true>, 1,
     "the optional that the expression gives for the value of an optional; none stays none",
     "optional.of([1]).optFlatMap(x, x[?0]).value()  // => 1\noptional.of([1]).optFlatMap(x, "
     "x[?7]).hasValue()  // => false"},
};

constexpr Macro kBindings[] = {
    {"bind", 3, true, expand_bind, 0,
     "cel.bind(name, value, expression): the expression, in which the name is a variable with the value",
     "cel.bind(x, 'a' + 'b', x + x)  // => 'abab'"},
};

constexpr Macro kTwoVariable[] = {
    {"all", 3, true, expand_quantifier2<all_fold>, 0,
     "whether the predicate holds for all (index, element) of a list or (key, value) of a map",
     "[1, 2, 3].all(i, v, i < v)  // => true\n{'a': 1}.all(k, v, k == 'a' && v > 1)  // => false"},
    {"exists", 3, true, expand_quantifier2<exists_fold>, 0,
     "whether the predicate holds for some (index, element) of a list or (key, value) of a map",
     "['a', 'b'].exists(i, v, i == 1 && v == 'b')  // => true"},
    {"existsOne", 3, true, expand_quantifier2<exists_one_fold>, 0,
     "whether the predicate holds for exactly one (index, element) of a list or (key, value) of a map",
     "[0, 1, 5].existsOne(i, v, v > i)  // => true"},
    {"exists_one", 3, true, expand_quantifier2<exists_one_fold>, 0, "existsOne under its other name",
     "[0, 1, 5].exists_one(i, v, v == i)  // => false"},
    {"transformList", 3, true, expand_transform_list, 0,
     "the list of the expression's values for each (index, element) or (key, value)",
     "[2, 4].transformList(i, v, i * v)  // => [0, 4]"},
    {"transformList", 4, true, expand_transform_list, 0,
     "the list of the expression's values where the predicate holds",
     "[2, 4].transformList(i, v, i > 0, v)  // => [4]"},
    {"transformMap", 3, true, expand_transform_map, 0,
     "the map from each index or key to the expression's value for it",
     "{'a': 1, 'b': 2}.transformMap(k, v, v * 2)  // => {'a': 2, 'b': 4}\n['x'].transformMap(i, v, v)  // => "
     "{0: 'x'}"},
    {"transformMap", 4, true, expand_transform_map, 0,
     "the map from each index or key to the expression's value, where the predicate holds",
     "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)  // => {'b': 4}"},
    {"transformMapEntry", 3, true, expand_transform_map_entry, 0,
     "the map of all entries that the expression gives; error if a key occurs twice",
     "{'a': 'x', 'b': 'y'}.transformMapEntry(k, v, {v: k})  // => {'x': 'a', 'y': 'b'}"},
    {"transformMapEntry", 4, true, expand_transform_map_entry, 0,
     "the map of all entries that the expression gives where the predicate holds; error if a key occurs "
     "twice",
     "{'a': 'x', 'b': 'y'}.transformMapEntry(k, v, k == 'a', {v: k})  // => {'x': 'a'}"},
};

constexpr Macro kLists[] = {
    {"sortBy", 2, true, expand_sort_by, 2, "the list sorted by the value of the expression for each element",
     "['ccc', 'a', 'bb'].sortBy(x, x.size())  // => ['a', 'bb', 'ccc']"},
};

constexpr Macro kMath[] = {
    {"least", kVarArgs, true, expand_extremum<kLeast>, 0,
     "math.least(a, b, ...) or math.least(list): the smallest of numbers of any kinds",
     "math.least(3, 1, 2)  // => 1\nmath.least([3.5, 2.5])  // => 2.5"},
    {"greatest", kVarArgs, true, expand_extremum<kGreatest>, 0,
     "math.greatest(a, b, ...) or math.greatest(list): the greatest of numbers of any kinds",
     "math.greatest(3, 1, 2)  // => 3\nmath.greatest([3.5, 2.5])  // => 3.5"},
};

constexpr Macro kProtos[] = {
    {"getExt", 2, true, expand_extension<false>, 0,
     "proto.getExt(message, name): the value of an extension field",
     "proto.getExt({'a.b': 1}, a.b)  // => 1"},
    {"hasExt", 2, true, expand_extension<true>, 0,
     "proto.hasExt(message, name): whether an extension field is set",
     "proto.hasExt({'a.b': 1}, a.b)  // => true"},
};

constexpr Macro kBlock[] = {
    {"block", 2, true, expand_block, 0,
     "cel.block([slots], expression): the expression, which reads lazily computed slots",
     "cel.block([1, cel.index(0) + 1], cel.index(1))  // => 2"},
    {"index", 1, true, expand_index, 0, "cel.index(n): slot n of the block",
     "cel.block(['a'], cel.index(0) + cel.index(0))  // => 'aa'"},
    {"iterVar", 2, true, expand_loop_variable<kIterVar>, 0, "cel.iterVar(depth, n): an iteration variable",
     "[1, 2].all(cel.iterVar(0, 0), cel.iterVar(0, 0) > 0)  // => true"},
    {"accuVar", 2, true, expand_loop_variable<kAccuVar>, 0, "cel.accuVar(depth, n): an accumulator",
     "[7].map(cel.accuVar(0, 0), cel.accuVar(0, 0))  // => [7]"},
};

}  // namespace

namespace macros {
std::span<const Macro> standard() { return std::span(kParser).first(kStandardCount); }
std::span<const Macro> parser() { return kParser; }
std::span<const Macro> optionals() { return kOptionals; }
std::span<const Macro> bindings() { return kBindings; }
std::span<const Macro> two_variable() { return kTwoVariable; }
std::span<const Macro> lists() { return kLists; }
std::span<const Macro> math() { return kMath; }
std::span<const Macro> protos() { return kProtos; }
std::span<const Macro> block() { return kBlock; }
}  // namespace macros

}  // namespace portcullis
