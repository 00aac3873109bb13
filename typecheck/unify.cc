// See unify.h.
#include "typecheck/unify.h"

#include <algorithm>
#include <utility>

namespace portcullis {

namespace {

bool is_dyn_or_error(const Type* t) { return t->is_dyn() || t->is(TypeKind::Error); }

// Whether null may be assigned to the type. cel-go keeps the rules of its first checker.
bool accepts_null(const Type* t) {
  switch (t->kind()) {
    case TypeKind::Opaque:
    case TypeKind::Struct:
    case TypeKind::Duration:
    case TypeKind::Timestamp:
    case TypeKind::Wrapper:
    case TypeKind::Null: return true;
    default: return false;
  }
}

// Whether `a` equals `b` with some parts replaced by dyn or by variables, or equals `b`.
bool equal_or_less_specific(const Type* a, const Type* b, MetPairs& met) {
  if (a == b) return true;
  if (a->is_dyn() || a->is(TypeKind::Param)) return true;
  if (b->is_dyn() || b->is(TypeKind::Param)) return false;
  if (a->base_kind() != b->base_kind()) return false;
  switch (a->kind()) {
    case TypeKind::Opaque:
      if (a->name() != b->name() || a->params().size() != b->params().size()) return false;
      [[fallthrough]];
    case TypeKind::List:
    case TypeKind::Map:
      // A pair that fails ends the walk, so a pair visited before has passed.
      if (met.holds(a, b)) return true;
      met.keep(a, b);
      return std::equal(a->params().begin(), a->params().end(), b->params().begin(),
                        [&](const Type* p, const Type* q) { return equal_or_less_specific(p, q, met); });
    case TypeKind::Type: return true;
    default: return same_type(a, b);
  }
}

}  // namespace

const Type* Substitution::most_general(const Type* a, const Type* b) {
  MetPairs met;
  return equal_or_less_specific(a, b, met) ? a : b;
}

const Type* Substitution::fresh() {
  free_.push_back(nullptr);
  return pool_.variable(static_cast<int32_t>(free_.size() - 1));
}

const Type* Substitution::find(const Type* variable) const {
  if (variable->variable() >= 0) return free_[static_cast<size_t>(variable->variable())];
  for (const Binding& b : named_) {
    if (b.variable->name() == variable->name()) return b.bound;
  }
  return nullptr;
}

void Substitution::bind(const Type* variable, const Type* t) {
  trail_.push_back({variable, find(variable)});
  if (variable->variable() >= 0) {
    free_[static_cast<size_t>(variable->variable())] = t;
    return;
  }
  for (Binding& b : named_) {
    if (b.variable->name() == variable->name()) {
      b.bound = t;
      return;
    }
  }
  named_.push_back({variable, t});
}

void Substitution::roll_back(size_t mark) {
  while (trail_.size() > mark) {
    Binding before = trail_.back();
    bind(before.variable, before.bound);
    trail_.resize(trail_.size() - 2);  // the change, and the one that undid it
  }
}

bool Substitution::assign(const Type* a, const Type* b) {
  trail_.clear();
  fitting_.clear();
  bool fine = fits(a, b);
  if (!fine) roll_back(0);
  return fine;
}

bool Substitution::assign(std::span<const Type* const> a, std::span<const Type* const> b) {
  trail_.clear();
  fitting_.clear();
  bool fine = fit_all(a, b);
  if (!fine) roll_back(0);
  return fine;
}

bool Substitution::fit_all(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size() || level_ == kMostLevels) return false;
  level_++;
  size_t i = 0;
  while (i < a.size() && fits(a[i], b[i])) ++i;
  level_--;
  return i == a.size();
}

bool Substitution::fits(const Type* a, const Type* b) {
  if (a == b) return true;
  if (b->is(TypeKind::Param)) {
    Fit fit = substitute_for(a, b);
    if (fit.valid) return true;
    if (fit.bound) return false;
  }
  if (a->is(TypeKind::Param)) return substitute_for(b, a).valid;
  if (is_dyn_or_error(a) || is_dyn_or_error(b)) return true;
  if (a->is(TypeKind::Null)) return accepts_null(b);
  if (b->is(TypeKind::Null)) return accepts_null(a);
  switch (a->kind()) {
    case TypeKind::Type: return b->is(TypeKind::Type);
    case TypeKind::Opaque:
    case TypeKind::List:
    case TypeKind::Map: {
      if (a->kind() != b->kind() || a->name() != b->name()) return false;
      size_t mark = trail_.size();
      if (fitting_.holds(a, b, mark)) return true;
      bool fine = fit_all(a->params(), b->params());
      if (fine && trail_.size() == mark) fitting_.keep(a, b, mark);
      return fine;
    }
    case TypeKind::Function: return false;
    default: return assignable_type(b, a);
  }
}

Substitution::Fit Substitution::substitute_for(const Type* t, const Type* variable) {
  if (same_type(t, variable)) return {true, true};
  if (const Type* bound = find(variable)) {
    if (same_type(t, bound)) return {true, true};
    if (!fits(t, bound)) return {false, true};
    const Type* general = most_general(t, bound);
    if (general != bound && not_within(variable, general)) bind(variable, general);
    return {true, true};
  }
  if (!not_within(variable, t)) return {false, false};
  bind(variable, t);
  return {true, false};
}

bool Substitution::not_within(const Type* variable, const Type* t) const {
  MetPairs met;
  return not_within(variable, t, met, 0);
}

bool Substitution::not_within(const Type* variable, const Type* t, MetPairs& met, int level) const {
  if (!t->is_open()) return true;
  if (level == kMostLevels) return false;
  if (same_type(variable, t)) return false;
  switch (t->kind()) {
    case TypeKind::Param: {
      const Type* bound = find(t);
      return !bound || not_within(variable, bound, met, level + 1);
    }
    case TypeKind::Opaque:
    case TypeKind::List:
    case TypeKind::Map:
    case TypeKind::Type:
      if (met.holds(variable, t)) return true;
      met.keep(variable, t);
      return std::all_of(t->params().begin(), t->params().end(),
                         [&](const Type* p) { return not_within(variable, p, met, level + 1); });
    default: return true;
  }
}

const Type* Substitution::rebuild(const Type* t, std::vector<const Type*> params) {
  switch (t->kind()) {
    case TypeKind::List: return pool_.list(params[0]);
    case TypeKind::Map: return pool_.map(params[0], params[1]);
    case TypeKind::Type: return pool_.type_of(params[0]);
    default: return pool_.opaque(t->name(), std::move(params));
  }
}

const Type* Substitution::apply(const Type* t, bool to_dyn) {
  MadeTypes made;
  return applied(t, to_dyn, made, 0);
}

const Type* Substitution::applied(const Type* t, bool to_dyn, MadeTypes& made, int level) {
  if (!t->is_open()) return t;
  if (level == kMostLevels) return types::kError;
  if (t->is(TypeKind::Param)) {
    if (const Type* bound = find(t)) return applied(bound, to_dyn, made, level + 1);
    return to_dyn ? types::kDyn : t;
  }
  if (const Type* known = made.find(t)) return known;
  std::vector<const Type*> params;
  for (const Type* p : t->params()) params.push_back(applied(p, to_dyn, made, level + 1));
  return made.keep(t, rebuild(t, std::move(params)));
}

const Type* Substitution::instantiate(const Type* t, std::span<const Type* const> params,
                                      std::span<const Type* const> variables) {
  if (!t->is_open()) return t;
  if (t->is(TypeKind::Param)) {
    for (size_t i = 0; i < params.size(); ++i) {
      if (params[i]->name() == t->name()) return variables[i];
    }
    return t;
  }
  std::vector<const Type*> made;
  for (const Type* p : t->params()) made.push_back(instantiate(p, params, variables));
  return rebuild(t, std::move(made));
}

}  // namespace portcullis
