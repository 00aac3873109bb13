// Builder: makes the nodes of an AST with cel-go's ids and places, and expands macros.
//
// Idea: ids are given in the order in which cel-go's parser asks for them; an id is forgotten again when a
// macro replaces its call. The parser (parse.cc) walks the parse tree and asks for nodes; macros (macros.cc)
// ask for nodes through Expansion. Private to grammar/.
// Limits: kMaxCopies bounds what macros may duplicate.
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

// Nodes that macros may copy in one expression. optMap() copies its target, so a chain of n of them copies
// 2^n nodes; cel-go runs out of memory there. Ours, not cel-go's: a chain of a dozen is still expanded.
inline constexpr int32_t kMaxCopies = 200'000;

// Thrown when copying exceeds kMaxCopies; never leaves parse().
struct ExpansionTooLarge {};

class Builder final : public Expansion {
 public:
  Builder(const ParseOptions& options, Ast& ast, Diagnostics& diagnostics)
      : options_(options), ast_(ast), diagnostics_(diagnostics) {}

  // A fresh id at `at`; nodes without place are kept at -1, as in cel-go.
  ExprId next_id(Span at);

  Expr* node(ExprKind kind, ExprId id) { return ast_.make(kind, id); }
  Expr* node(ExprKind kind, Span at) { return node(kind, next_id(at)); }
  Expr* named(ExprKind kind, ExprId id, std::string_view name);

  // Reports `message` and gives the node that stands for what could not be built.
  Expr* error(Span at, std::string message);

  // A call, or what the macro of that name, arity and style makes of it. `target` null: a global call.
  Expr* call_or_macro(ExprId id, std::string_view function, Expr* target, std::vector<Expr*> args);

  // terms[0] op[0] terms[1] op[1] ... as a balanced tree (or one variadic call).
  Expr* logic(std::string_view function, std::span<Expr* const> terms, std::span<const ExprId> ops);

  // Expansion
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
  ExprId macro_call_ = 0;  // the call being expanded; its place is the place of the new nodes
  std::optional<Failure> failure_;
  int32_t copies_ = 0;
};

}  // namespace portcullis
