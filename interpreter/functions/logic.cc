// Boolean operators. The compiler plans all but `!`, because they skip operands or accept errors as operands.
// Tested by tests/language/logic.cel, tests/examples.cc.
#include "interpreter/functions/call.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

constexpr Function kRows[] = {
    {.id = "conditional",
     .signature = "_?_:_(bool, A, A) -> A",
     .cost = kFree,
     .doc = "the second operand if the first is true, else the third; only one of them is evaluated",
     .examples = "'hello'.contains('lo') ? 'hi' : 'bye'  // => 'hi'\n"
                 "32 % 3 == 0 ? 'divisible' : 'not divisible'  // => 'not divisible'"},
    {.id = "logical_and",
     .signature = "_&&_(bool, bool) -> bool",
     .cost = kFree,
     .doc = "false if one operand is false, even if the other is an error",
     .examples = "true && false  // => false\nfalse && 1 / 0 > 0  // => false"},
    {.id = "logical_or",
     .signature = "_||_(bool, bool) -> bool",
     .cost = kFree,
     .doc = "true if one operand is true, even if the other is an error",
     .examples = "true || false  // => true\n1 / 0 > 0 || true  // => true"},
    {.id = "logical_not",
     .signature = "!_(bool) -> bool",
     .doc = "negates a bool",
     .examples = "!true  // => false\n!false  // => true",
     .builtin = Builtin::Not,
     .singleton = {kEveryKind}},
    {.id = "not_strictly_false",
     .signature = "@not_strictly_false(bool) -> bool",
     .doc = "false for false, true for anything else, including errors; the loop condition of all() and "
            "exists()",
     .examples = "[1, 0].all(x, 1 / x > 1 || x == 1) || true  // => true",
     .builtin = Builtin::NotStrictlyFalse},
};

}  // namespace

std::span<const Function> logic() { return kRows; }

}  // namespace portcullis::tables
