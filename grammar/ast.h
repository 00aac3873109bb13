// The abstract syntax tree of one CEL expression.
//
// Idea: eight node kinds in one plain struct; an Ast owns all its nodes (stable addresses) and everything
// that refers to a node does so by pointer or by id. The parser writes the tree, the checker writes `type`
// and `reference` onto the nodes once, later passes only read. Ids are those of cel-go: positive, in the
// order in which its parser visits (interpreter errors, cost tracking and `--explain` refer to nodes by id).
// Depth is bounded by the parser (grammar/parse.h), so walks may recurse.
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

// A literal of the source text. `bytes` is wrapped so that it differs from a string.
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

  // Written by typecheck::check, read by everything after it; null before, and null for ill-typed nodes.
  const Type* type = nullptr;
  // Ident, Select (qualified name), Call, Struct: what the name resolved to.
  const Reference* reference = nullptr;

  bool is_call(std::string_view function, size_t arity) const {
    return kind == ExprKind::Call && name == function && args.size() == arity;
  }
};

// No place in the source at all. (-1 is different: cel-go gives it to nodes made up for missing tokens.)
inline constexpr int32_t kNoOffset = INT32_MIN;

// Code-point offsets in the source of a node: [start, stop). Nodes made by a macro have the place of its
// call, and stop == start.
struct Span {
  int32_t start = kNoOffset;
  int32_t stop = kNoOffset;
};

// Owns the nodes of an expression. Movable, not copyable; addresses of nodes survive a move.
class Ast {
 public:
  Expr* root = nullptr;
  // Macro call sites: id of the expanded node -> the call as it was written (its children may
  // refer to further expansions by node ids). Used by unparse and by --explain. Ordered, so that
  // walks are deterministic.
  std::map<ExprId, Expr*> macro_calls;

  Expr* make(ExprKind kind, ExprId id) {
    Expr& node = nodes_.emplace_back();
    node.kind = kind;
    node.id = id;
    return &node;
  }
  // A fresh id, for a node or entry reported at `span`. Ids are shared by nodes, map
  // entries and struct fields.
  ExprId next_id(Span span) {
    spans_.push_back(span);
    return static_cast<ExprId>(spans_.size());
  }
  ExprId last_id() const { return static_cast<ExprId>(spans_.size()); }

  // Where a node or entry is reported: `start` is the offset of the token cel-go points at (the operator
  // of a call, the '.' of a select, the '[' of an index, the ':' of an entry). {kNoOffset, kNoOffset}
  // for ids never given.
  Span span(ExprId id) const {
    return id > 0 && id <= last_id() ? spans_[static_cast<size_t>(id) - 1] : Span{};
  }

  // Forgets an id whose node was replaced by a macro; the last one given is given again.
  void release_id(ExprId id) {
    if (id <= 0 || id > last_id()) return;
    spans_[static_cast<size_t>(id) - 1] = Span{};
    if (id == last_id()) spans_.pop_back();
  }

 private:
  std::list<Expr> nodes_;
  std::vector<Span> spans_;  // by id - 1
};

// Names of operators as functions (cel-go's common/operators).
namespace operators {
inline constexpr std::string_view kConditional = "_?_:_", kLogicalAnd = "_&&_", kLogicalOr = "_||_",
                                  kLogicalNot = "!_", kEquals = "_==_", kNotEquals = "_!=_", kLess = "_<_",
                                  kLessEquals = "_<=_", kGreater = "_>_", kGreaterEquals = "_>=_",
                                  kAdd = "_+_", kSubtract = "_-_", kMultiply = "_*_", kDivide = "_/_",
                                  kModulo = "_%_", kNegate = "-_", kIndex = "_[_]", kOptIndex = "_[?_]",
                                  kOptSelect = "_?._", kIn = "@in", kNotStrictlyFalse = "@not_strictly_false",
                                  kLegacyIn = "_in_";
}  // namespace operators

// The accumulator of the quantifier and map macros: not a name that an expression can write. The old one is.
inline constexpr std::string_view kAccumulator = "@result";
inline constexpr std::string_view kLegacyAccumulator = "__result__";

}  // namespace portcullis
