// Substitution: what type variables stand for, and the rules of assignment between types that have some.
//
// Idea: cel-go copies its map of substitutions for every attempt and keeps the copy on success; here one
// table with a trail is rolled back on failure. The rules are cel-go's checker/types.go, quirks included: an
// attempt may bind variables in a direction that then fails and keep them when the other direction succeeds.
// Limits: not thread-safe; types it makes live in the pool it was given.
// Tested by typecheck/unify_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "typecheck/shared_nodes.h"
#include "typecheck/type.h"

namespace portcullis {

class Substitution {
 public:
  explicit Substitution(TypePool& pool) : pool_(pool) {}

  // A fresh variable: "_var0", "_var1", ...
  const Type* fresh();

  // Whether `b` fits where `a` is (cel-go: isAssignable(t1, t2)); binds variables if so,
  // changes nothing if not.
  bool assign(const Type* a, const Type* b);
  // The same for lists of equal length, as a whole.
  bool assign(std::span<const Type* const> a, std::span<const Type* const> b);

  // `t` with all bound variables replaced; the others become dyn with `to_dyn`.
  const Type* apply(const Type* t, bool to_dyn);

  // `t` with `params` replaced by `variables`, position by position.
  const Type* instantiate(const Type* t, std::span<const Type* const> params,
                          std::span<const Type* const> variables);

  // The more general of two types that unify.
  static const Type* most_general(const Type* a, const Type* b);

 private:
  struct Binding {
    const Type* variable = nullptr;  // a Param without number: one that a declaration brought in
    const Type* bound = nullptr;
  };
  struct Fit {
    bool valid;
    bool bound;  // the variable stands for something already
  };
  const Type* find(const Type* variable) const;
  void bind(const Type* variable, const Type* t);
  void roll_back(size_t mark);
  bool fits(const Type* a, const Type* b);
  bool fit_all(std::span<const Type* const> a, std::span<const Type* const> b);
  Fit substitute_for(const Type* t, const Type* variable);
  bool not_within(const Type* variable, const Type* t) const;
  bool not_within(const Type* variable, const Type* t, MetPairs& met) const;
  const Type* applied(const Type* t, bool to_dyn, MadeTypes& made);
  const Type* rebuild(const Type* t, std::vector<const Type*> params);

  TypePool& pool_;
  std::vector<const Type*> free_;  // by number of the variable
  std::vector<Binding> named_;
  std::vector<Binding> trail_;  // what was there before
  MetPairs fitting_;            // in this attempt, without binding anything; the mark is the trail's length
};

}  // namespace portcullis
