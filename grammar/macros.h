// Macros: calls that the parser replaces by another expression while it builds the tree.
//
// Idea: a macro is one row: name, arity, style, expansion, documentation. Each library has its own span of
// rows; Library rows (typecheck/function.h) point at these spans. A MacroTable holds the macros of one
// environment. An expansion builds nodes through Expansion, which gives them ids and the place of the call
// exactly as cel-go does, because interpreter errors, costs and --explain show ids.
// Limits: a macro is found by name, number of arguments and style (global or member call), never by type.
// Tested by grammar/macros_test.cc (the table) and grammar/parse_test.cc (the expansions).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"

namespace portcullis {

// The interface through which an expansion builds nodes. Every call makes a node with the next id, so an
// expansion must make its nodes in cel-go's order.
class Expansion {
 public:
  virtual ~Expansion() = default;

  virtual Expr* literal(Literal value) = 0;
  virtual Expr* ident(std::string_view name) = 0;
  virtual Expr* accumulator() = 0;  // ident(accumulator_name())
  virtual Expr* list(std::vector<Expr*> elements) = 0;
  virtual Expr* map() = 0;  // {}
  virtual Expr* call(std::string_view function, std::vector<Expr*> args) = 0;
  virtual Expr* member_call(std::string_view function, Expr* target, std::vector<Expr*> args) = 0;
  virtual Expr* select(Expr* operand, std::string_view field) = 0;
  virtual Expr* presence_test(Expr* operand, std::string_view field) = 0;
  virtual Expr* comprehension(Comprehension fold) = 0;
  // A deep copy with fresh ids.
  virtual Expr* copy(const Expr* expr) = 0;

  // "@result", or "__result__" where the environment asks for the old name.
  virtual std::string_view accumulator_name() const = 0;

  // Ends the expansion with an error at node `at`. Returns null, which the expansion returns.
  virtual Expr* fail(const Expr* at, std::string message) = 0;
};

// Expands a call. `target` is null for a global call. Null without a fail() means that the macro does not
// apply: the call stays an ordinary call.
using Expand = Expr* (*)(Expansion& expansion, Expr* target, std::span<Expr* const> args);

inline constexpr int8_t kVarArgs = -1;

struct Macro {
  std::string_view name;
  int8_t arity = 0;  // or kVarArgs; a row with the exact number of arguments wins over it
  bool receiver = false;
  Expand expand = nullptr;
  uint8_t since = 0;               // the first library version that has the macro
  std::string_view doc = {};       // one line
  std::string_view examples = {};  // lines "expr  // => value" in the notation of tests/language
};

// The macros of an environment. A row added later replaces an earlier one of the same name, arity and style.
class MacroTable {
 public:
  MacroTable() = default;
  // Holds the rows of `rows` that library version `version` has.
  explicit MacroTable(std::span<const Macro> rows, uint8_t version = UINT8_MAX) { add(rows, version); }

  void add(std::span<const Macro> rows, uint8_t version = UINT8_MAX);

  // The row for a call, or null. An exact arity wins over kVarArgs.
  const Macro* find(std::string_view name, size_t arity, bool receiver) const;

  // Whether both hold the same rows, so that they expand alike.
  bool operator==(const MacroTable&) const = default;

 private:
  std::vector<const Macro*> rows_;  // ordered by name, arity and style
};

// The rows, by library. Spans live as long as the program.
namespace macros {
std::span<const Macro> standard();   // has all exists exists_one map filter
std::span<const Macro> parser();     // cel-go's parser.AllMacros: standard() and existsOne(x, p)
std::span<const Macro> optionals();  // optMap, optFlatMap (since 1)
std::span<const Macro> bindings();   // cel.bind
std::span<const Macro>
two_variable();  // all exists existsOne exists_one transformList transformMap transformMapEntry
std::span<const Macro> lists();   // sortBy (since 2)
std::span<const Macro> math();    // math.least, math.greatest
std::span<const Macro> protos();  // proto.hasExt, proto.getExt
std::span<const Macro> block();   // cel.block cel.index cel.iterVar cel.accuVar, for tests of cel.@block only
}  // namespace macros

}  // namespace portcullis
