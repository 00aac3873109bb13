// Macros: calls that the parser replaces by an expression while it builds the tree.
//
// Idea: a macro is one row: name, arity, style, expansion, documentation. Rows are grouped by the library
// that brings them; Library rows (typecheck/function.h) point at these spans. A MacroTable is the set in
// force in one environment. Expansions build nodes through Expansion, which gives them ids and the position
// of the call exactly as cel-go does, because ids are visible in interpreter errors, costs and in --explain.
// Limits: matched by name, number of arguments and style, never by type.
// Tested by grammar/macros_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "grammar/ast.h"

namespace portcullis {

// What an expansion builds with. Every node gets a fresh id, in order of construction, so that the order of
// calls in an expansion is part of its meaning.
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

  // Ends the expansion with an error at node `at`; returns null, to be returned.
  virtual Expr* fail(const Expr* at, std::string message) = 0;
};

// Expands a call. `target` is null for a global call. Null without fail() declines: the call
// stays an ordinary one.
using Expand = Expr* (*)(Expansion& expansion, Expr* target, std::span<Expr* const> args);

inline constexpr int8_t kVarArgs = -1;

struct Macro {
  std::string_view name;
  int8_t arity = 0;  // or kVarArgs, which yields to a row with the exact number
  bool receiver = false;
  Expand expand = nullptr;
  uint8_t since = 0;               // library version that brought it
  std::string_view doc = {};       // one line
  std::string_view examples = {};  // lines "expr  // => value" in the notation of tests/language
};

// The macros in force. Rows added later replace earlier ones of the same name, arity and style.
class MacroTable {
 public:
  MacroTable() = default;
  // All rows of `rows` up to library version `version`.
  explicit MacroTable(std::span<const Macro> rows, uint8_t version = UINT8_MAX) { add(rows, version); }

  void add(std::span<const Macro> rows, uint8_t version = UINT8_MAX);

  // The row for a call, or null. An exact arity wins over kVarArgs.
  const Macro* find(std::string_view name, size_t arity, bool receiver) const;

 private:
  std::map<std::tuple<std::string_view, int, bool>, const Macro*> rows_;
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
