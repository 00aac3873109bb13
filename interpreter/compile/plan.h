// Plan: an expression as cel-go would evaluate it; bytecode is made from it.
//
// Idea: the cost of an evaluation, the error that wins and the parts that are evaluated at all follow from
// cel-go's planner (interpreter/planner.go), not from the AST: selects and indexes become attributes with
// qualifiers, conditionals become attributes as well, constants are folded. A plan has exactly the planner's
// nodes, so later passes need not know its quirks. The terms are cel-go's: an *attribute* is a variable or
// value to which *qualifiers* (fields, keys, indexes) are applied.
// Tested by interpreter/run/cel_test.cc, tests/conformance (runtimecost, interpreter).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/result.h"
#include "interpreter/values/value.h"
#include "typecheck/environment.h"

namespace portcullis {

class Regex;
struct Plan;

struct Qualifier {
  Value constant;  // a string, int, uint, double or bool; unused if `computed`
  // An index that must be evaluated. If it is an attribute, it is resolved without being charged.
  Plan* computed = nullptr;
  bool optional = false;   // a.?b, a[?b]
  bool test_only = false;  // the last qualifier of has(a.b)
};

enum class AttributeKind : uint8_t {
  Local,        // a variable of an enclosing comprehension or block: `scope`
  Variable,     // a global variable: `name`
  Relative,     // the value of `operand`
  Conditional,  // operand ? yes : no
  Undeclared,   // parse-only: `name` may be a variable, or the first part of a dotted variable
};

struct Attribute {
  AttributeKind kind = AttributeKind::Variable;
  ExprId id = 0;
  std::string_view name;
  uint32_t scope = 0;  // Local: the number of the scope variable
  Plan* operand = nullptr;
  Attribute* yes = nullptr;
  Attribute* no = nullptr;
  // Of a conditional: qualifiers of whichever branch is chosen, applied after the branch's own.
  std::vector<Qualifier> qualifiers;
};

enum class PlanKind : uint8_t {
  Constant,
  Attribute,
  Call,
  Equal,  // args[0] == args[1], or != if `negated`
  And,
  Or,  // args
  List,
  Map,
  Struct,
  // Field `constant` of args[0], a struct whose form has native fields; with test_only: whether it is set.
  NativeField,
  Fold,
  InSet,  // args[0] in `constant`, a map whose keys are the set
  OrOptional,
  OrValue,
  Block,  // cel.@block: binds `variables` lazily; args[0] is the result
};

// A comprehension. Scope variables are numbers; lowering assigns their registers.
struct Fold {
  static constexpr uint32_t kNone = ~uint32_t{0};
  Plan* range = nullptr;
  uint32_t iter = kNone;
  uint32_t iter2 = kNone;  // kNone: one variable
  uint32_t accu = kNone;
  Plan* init = nullptr;
  Plan* condition = nullptr;
  Plan* step = nullptr;
  Plan* result = nullptr;
};

struct Plan {
  PlanKind kind = PlanKind::Constant;
  ExprId id = 0;
  bool test_only = false;  // Attribute: has()
  bool negated = false;    // Equal: !=
  bool varargs = false;    // Call: ends, uncharged, at the first argument that is an error
  Value constant;
  Attribute* attribute = nullptr;
  std::vector<Plan*> args;      // arguments, terms, elements, keys and values in turn, field values
  std::vector<bool> optionals;  // List: of the elements; Map, Struct: of the entries. Empty: none is optional
  // Call
  std::string_view function;
  const Overload* overload = nullptr;    // the only overload that the checker found, or null
  const FunctionGroup* group = nullptr;  // all overloads of the name; null: unknown function
  const Regex* regex = nullptr;          // compiled from a constant pattern
  // Struct
  std::string_view type_name;
  std::vector<std::string_view> fields;
  // Fold, Block
  std::unique_ptr<Fold> fold;
  std::vector<uint32_t> variables;  // Block: scope variables
  std::vector<Plan*> inits;         // Block: their initializers
};

// Owns the nodes of a plan.
class PlanTree {
 public:
  Plan* root = nullptr;
  uint32_t scope_variables = 0;
  std::vector<std::string> scope_names;  // by number; for messages and disassembly

  Plan* make(PlanKind kind, ExprId id) {
    Plan& p = plans_.emplace_back();
    p.kind = kind;
    p.id = id;
    return &p;
  }
  Attribute* make(AttributeKind kind, ExprId id) {
    Attribute& a = attributes_.emplace_back();
    a.kind = kind;
    a.id = id;
    return &a;
  }

 private:
  std::deque<Plan> plans_;
  std::deque<Attribute> attributes_;
};

struct PlanOptions {
  // cel-go's OptOptimize. Without it only constant patterns of find() and findAll() are compiled.
  bool fold = false;
};

// What a plan's constants live in: PathTable::constants(), and what moves into the program.
struct PlanConstants {
  Arena& arena;
  std::vector<std::unique_ptr<Regex>> regexes = {};
};

// Plans `ast`. What the plan says with values (constants, names of fields and functions) lives in `constants` or in
// the environment, so that a program does without the tree. The error is the text with which cel-go refuses to create
// the program.
Result<PlanTree> plan(const Ast& ast, const Environment& environment, PlanOptions options,
                      PlanConstants& constants);

// Folds one planned node as cel-go's decorators do (constant lists, maps, conversions, sets, regexes).
// Returns the node that replaces it, or `node`. Source: cel-go interpreter/decorators.go, optimizations.go.
Result<Plan*> fold_constants(Plan* node, PlanTree& tree, PlanOptions options, PlanConstants& constants,
                             const Environment& environment);

}  // namespace portcullis
