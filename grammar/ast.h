// The abstract syntax tree of one CEL expression.
//
// Idea: eight node kinds in one plain struct. An Ast owns all its nodes; their addresses are stable, so a
// node is referred to by pointer or by id. The parser writes the tree, the checker writes `type` and
// `reference` onto each node once, later passes only read. Ids are those of cel-go: positive, in the order in
// which its parser visits the nodes (interpreter errors, cost tracking and `--explain` refer to nodes by id).
// Limits: the parser bounds the depth of a tree (grammar/parse.h), so functions that walk it may recurse.
// Tested by grammar/parse_test.cc.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace portcullis {

class Type;        // typecheck/type.h
struct Reference;  // typecheck/check.h

using ExprId = int32_t;

// A bytes literal of the source text. A struct, so that Literal tells it from a string.
struct BytesLiteral {
  std::string data;
  bool operator==(const BytesLiteral&) const = default;
};
using Literal =
    std::variant<std::monostate /*null*/, bool, int64_t, uint64_t, double, std::string, BytesLiteral>;

enum class ExprKind : uint8_t { Unspecified, Literal, Ident, Select, Call, List, Map, Struct, Comprehension };

struct Expr;

// `key: value` of a map literal, or `field: value` of a struct literal (then `key` is null).
struct Entry {
  ExprId id = 0;
  Expr* key = nullptr;
  std::string field;
  Expr* value = nullptr;
  bool optional = false;  // written with a leading '?'
};

// fold(range, iter_var [, iter_var2], accu_var = accu_init; while loop_condition; loop_step; result)
struct Comprehension {
  Expr* range = nullptr;
  std::string iter_var;
  std::string iter_var2;  // empty: one-variable form
  std::string accu_var;
  Expr* accu_init = nullptr;
  Expr* loop_condition = nullptr;
  Expr* loop_step = nullptr;
  Expr* result = nullptr;
};

struct Expr {
  ExprKind kind = ExprKind::Unspecified;
  bool test_only = false;  // Select made by has()
  ExprId id = 0;

  Literal literal;                        // Literal
  std::string name;                       // Ident: name; Select: field; Call: function; Struct: type name
  Expr* target = nullptr;                 // Select: operand; Call: receiver, or null for a global call
  std::vector<Expr*> args;                // Call: arguments; List: elements
  std::vector<int32_t> optional_indices;  // List: indices of elements written `?e`
  std::vector<Entry> entries;             // Map, Struct
  std::unique_ptr<Comprehension> fold;    // Comprehension

  // Written by check() (typecheck/check.h), read by the passes after it. Null before; the error type at nodes
  // that are ill-typed.
  const Type* type = nullptr;
  // Ident (which a select of a qualified name becomes), Call, Struct: what the name resolved to.
  const Reference* reference = nullptr;

  bool is_call(std::string_view function, size_t arity) const {
    return kind == ExprKind::Call && name == function && args.size() == arity;
  }
};

// Calls `f` with each child of `e` (an Expr or const Expr): target, arguments, keys and values, the parts of a
// comprehension.
template <class E, class F>
void for_each_child(E& e, const F& f) {
  auto visit = [&](E* child) {
    if (child != nullptr) f(*child);
  };
  visit(e.target);
  for (E* arg : e.args) visit(arg);
  for (auto& entry : e.entries) {
    visit(entry.key);
    visit(entry.value);
  }
  if (e.fold == nullptr) return;
  for (E* part :
       {e.fold->range, e.fold->accu_init, e.fold->loop_condition, e.fold->loop_step, e.fold->result})
    visit(part);
}

// Not a place in the source. (-1 is another value: cel-go gives it to nodes made up for missing tokens.)
inline constexpr int32_t kNoOffset = INT32_MIN;

// The code points [start, stop) of a node in the source. A node that a macro made has the place of the
// macro's call, and stop == start.
struct Span {
  int32_t start = kNoOffset;
  int32_t stop = kNoOffset;
};

// Owns the nodes of one expression. Can be moved, not copied; a move keeps the addresses of the nodes.
class Ast {
 public:
  Expr* root = nullptr;
  // The macro calls of the expression: id of the expanded node -> the call as it was written (whose children
  // may refer to further expansions by node id). Read by unparse and by --explain. A std::map, so that its
  // order is fixed.
  std::map<ExprId, Expr*> macro_calls;

  // The node as it was written: the macro call that it was expanded from, if it was. (A macro call within another one
  // is stored as an empty node with its id.)
  const Expr* written(const Expr* e) const {
    const auto call = macro_calls.find(e->id);
    return call == macro_calls.end() ? e : call->second;
  }

  Expr* make(ExprKind kind, ExprId id) {
    Expr& node = nodes_.emplace_back();
    node.kind = kind;
    node.id = id;
    return &node;
  }
  // Returns a new id for a node or entry at the place `span`. Nodes, map entries and struct fields share one
  // sequence of ids.
  ExprId next_id(Span span) {
    spans_.push_back(span);
    return static_cast<ExprId>(spans_.size());
  }
  ExprId last_id() const { return static_cast<ExprId>(spans_.size()); }

  // The place of a node or entry: `start` is the offset of the token cel-go points at (the operator of a
  // call, the '.' of a select, the '[' of an index, the ':' of an entry). {kNoOffset, kNoOffset} for an id
  // that was never given out.
  Span span(ExprId id) const {
    return id > 0 && id <= last_id() ? spans_[static_cast<size_t>(id) - 1] : Span{};
  }

  // Gives back the id of a node that a macro replaced. The last id becomes free for the next node.
  void release_id(ExprId id) {
    if (id <= 0 || id > last_id()) return;
    spans_[static_cast<size_t>(id) - 1] = Span{};
    if (id == last_id()) spans_.pop_back();
  }

 private:
  std::list<Expr> nodes_;
  std::vector<Span> spans_;  // by id - 1
};

// The function names of the operators (cel-go's common/operators).
namespace operators {
inline constexpr std::string_view kConditional = "_?_:_", kLogicalAnd = "_&&_", kLogicalOr = "_||_",
                                  kLogicalNot = "!_", kEquals = "_==_", kNotEquals = "_!=_", kLess = "_<_",
                                  kLessEquals = "_<=_", kGreater = "_>_", kGreaterEquals = "_>=_",
                                  kAdd = "_+_", kSubtract = "_-_", kMultiply = "_*_", kDivide = "_/_",
                                  kModulo = "_%_", kNegate = "-_", kIndex = "_[_]", kOptIndex = "_[?_]",
                                  kOptSelect = "_?._", kIn = "@in", kNotStrictlyFalse = "@not_strictly_false",
                                  kLegacyIn = "_in_";
}  // namespace operators

// Whether `e` is a && b or a || b.
inline bool is_logical(const Expr& e) {
  return e.is_call(operators::kLogicalAnd, 2) || e.is_call(operators::kLogicalOr, 2);
}

// The accumulator variable of the quantifier and map macros. No expression can write the name "@result"; an
// expression can write the older one.
inline constexpr std::string_view kAccumulator = "@result";
inline constexpr std::string_view kLegacyAccumulator = "__result__";

}  // namespace portcullis
