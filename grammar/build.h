// Builder: makes the nodes of an AST with cel-go's ids and places, and expands macros.
//
// Idea: each node gets its id in the order in which cel-go's parser asks for one; when a macro replaces a
// call, the id of the call is given back. The parse-tree walk (walk.cc) asks for nodes directly, macros
// (macros.cc) ask for them through Expansion. Private to grammar/.
// Limits: kMaxCopies bounds the nodes that macros may copy.
// Tested by grammar/parse_test.cc and grammar/macros_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/diagnostic.h"
#include "grammar/macros.h"
#include "grammar/parse.h"

namespace portcullis {

// The nodes that macros may copy in one expression. optMap() copies its target, so a chain of n of them
// copies 2^n nodes; cel-go runs out of memory there. The limit is ours, not cel-go's; a chain of a dozen
// stays below it.
inline constexpr int32_t kMaxCopies = 200'000;

// Thrown when copying exceeds kMaxCopies; never leaves parse().
struct ExpansionTooLarge {};

class Builder final : public Expansion {
 public:
  Builder(const ParseOptions& options, Ast& ast, Diagnostics& diagnostics)
      : options_(options), ast_(ast), diagnostics_(diagnostics) {}

  // Returns a new id at the place `at`. A node without a place is put at -1, as in cel-go.
  ExprId next_id(Span at);

  Expr* node(ExprKind kind, ExprId id) { return ast_.make(kind, id); }
  Expr* node(ExprKind kind, Span at) { return node(kind, next_id(at)); }
  Expr* named(ExprKind kind, ExprId id, std::string_view name);

  // Reports `message` at `at` and returns an Unspecified node in place of the node that could not be built.
  Expr* error(Span at, std::string message);

  // Returns a call, or the expansion of the macro with that name, arity and style. `target` null: a global
  // call.
  Expr* call_or_macro(ExprId id, std::string_view function, Expr* target, std::vector<Expr*> args);

  // Returns terms[0] op[0] terms[1] op[1] ... as a balanced tree, or as one call if options ask for variadic
  // logic.
  Expr* logic(std::string_view function, std::span<Expr* const> terms, std::span<const ExprId> ops);

  // The interface that macros build with (grammar/macros.h).
  Expr* literal(Literal value) override;
  Expr* ident(std::string_view name) override { return named(ExprKind::Ident, macro_id(), name); }
  Expr* accumulator() override { return ident(accumulator_name()); }
  Expr* list(std::vector<Expr*> elements) override;
  Expr* map() override { return node(ExprKind::Map, macro_id()); }
  Expr* call(std::string_view function, std::vector<Expr*> args) override;
  Expr* member_call(std::string_view function, Expr* target, std::vector<Expr*> args) override;
  Expr* select(Expr* operand, std::string_view field) override;
  Expr* presence_test(Expr* operand, std::string_view field) override;
  Expr* comprehension(Comprehension fold) override;
  Expr* copy(const Expr* expr) override;
  std::string_view accumulator_name() const override;
  Expr* fail(const Expr* at, std::string message) override;

 private:
  struct Failure {
    int32_t offset;
    std::string message;
  };

  ExprId macro_id();
  Expr* copy_shape(const Expr* expr, ExprId id);
  Expr* balanced(std::string_view function, std::span<Expr* const> terms, std::span<const ExprId> ops);
  Expr* expand(const Macro& macro, ExprId id, Expr* target, std::span<Expr* const> args);
  void record_macro_call(ExprId id, std::string_view function, const Expr* target,
                         std::span<Expr* const> args);
  Expr* as_written(const Expr* expr);

  const ParseOptions& options_;
  Ast& ast_;
  Diagnostics& diagnostics_;
  ExprId macro_call_ = 0;  // the id of the call being expanded; new nodes get its place
  std::optional<Failure> failure_;
  int32_t copies_ = 0;
};

}  // namespace portcullis
