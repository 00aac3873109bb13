// Substitution: the bindings of type variables, and the rules of assignment between types that contain some.
//
// Idea: cel-go copies its map of substitutions before every attempt and keeps the copy on success; here there
// is one table, and a trail of changes by which a failed attempt is undone. The rules are those of cel-go's
// checker/types.go, quirks included: if an attempt fails in one direction and succeeds in the other, bindings
// of both remain.
// Limits: not thread-safe; the types it makes live in the given pool. Bindings can nest types far deeper than any
// type is; walks end at kMostLevels, where types do not fit and bound variables are errors.
// Tested by typecheck/unify_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "typecheck/shared_nodes.h"
#include "typecheck/type.h"

namespace portcullis {

class Substitution {
 public:
  explicit Substitution(TypePool& pool) : pool_(pool) {}

  // A new variable: "_var0", "_var1", ...
  const Type* fresh();

  // Whether `b` may be used where `a` is expected (cel-go: isAssignable(t1, t2)). Binds variables on success,
  // changes nothing on failure.
  bool assign(const Type* a, const Type* b);
  // The same for two lists of equal length: all or nothing.
  bool assign(std::span<const Type* const> a, std::span<const Type* const> b);

  // `t` with all bound variables replaced. With `to_dyn`, unbound variables become dyn.
  const Type* apply(const Type* t, bool to_dyn);

  // `t` with each of `params` replaced by the variable at the same position in `variables`.
  const Type* instantiate(const Type* t, std::span<const Type* const> params,
                          std::span<const Type* const> variables);

  // The more general of two types that have been unified.
  static const Type* most_general(const Type* a, const Type* b);

 private:
  // A type variable and its binding; null: none.
  struct Binding {
    const Type* variable = nullptr;
    const Type* bound = nullptr;
  };
  struct Fit {
    bool valid;
    bool bound;  // the variable was bound before, or is the type itself
  };
  // The binding of a variable, or null.
  const Type* find(const Type* variable) const;
  // Binds a variable, and records its earlier binding on the trail.
  void bind(const Type* variable, const Type* t);
  // Undoes the bindings made since the trail had the length `mark`.
  void roll_back(size_t mark);
  // As assign(), but a failure may leave bindings behind.
  bool fits(const Type* a, const Type* b);
  bool fit_all(std::span<const Type* const> a, std::span<const Type* const> b);
  // Binds `variable` to `t`. If it is bound already, the two types must fit, and the more general one is kept.
  Fit substitute_for(const Type* t, const Type* variable);
  // Whether `variable` does not occur in `t`: a binding must not contain its own variable.
  bool not_within(const Type* variable, const Type* t) const;
  bool not_within(const Type* variable, const Type* t, MetPairs& met, int level) const;
  const Type* applied(const Type* t, bool to_dyn, MadeTypes& made, int level);
  // A type like `t` with other parameters.
  const Type* rebuild(const Type* t, std::vector<const Type*> params);

  static constexpr int kMostLevels = 2 * kMaxTypeDepth;

  TypePool& pool_;
  int level_ = 0;                  // of fits()
  std::vector<const Type*> free_;  // bindings of the variables that fresh() made, by number
  std::vector<Binding> named_;     // bindings of variables without number, which come from declarations
  std::vector<Binding> trail_;     // the bindings before each change
  MetPairs fitting_;               // pairs that fit without a new binding; the mark is the trail's length
};

}  // namespace portcullis
