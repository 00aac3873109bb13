// See guards.h.
#include "admission/typing/guards.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace portcullis {
namespace {

using Known = std::optional<Literal>;  // nothing: unknown

constexpr int kMaxSteps = 100'000;  // loops in loops; what comes behind them is unknown

class Evaluation {
 public:
  explicit Evaluation(const KindFacts& facts) : facts_(facts) {}

  Known of(const Expr& e) {
    if (++steps_ > kMaxSteps) return {};
    if (const auto fact = facts_.find(e.id); fact != facts_.end()) return fact->second;
    switch (e.kind) {
      case ExprKind::Literal: return e.literal;
      case ExprKind::Ident: return local(e.name);
      case ExprKind::Call: return call(e);
      case ExprKind::Comprehension: return fold(*e.fold);
      default: return {};
    }
  }
  bool is(const Expr& e, bool value) { return of(e) == Known(Literal(value)); }

 private:
  // Numbers of different types may be equal.
  static bool same_type(const Known& a, const Known& b) { return a && b && a->index() == b->index(); }

  Known local(std::string_view name) const {
    const auto found = std::ranges::find(locals_.rbegin(), locals_.rend(), name, &Local::first);
    return found == locals_.rend() ? Known() : found->second;
  }

  Known call(const Expr& e) {
    using namespace operators;
    if (e.is_call(kLogicalAnd, 2)) return either(e, false);
    if (e.is_call(kLogicalOr, 2)) return either(e, true);
    if (e.is_call(kConditional, 3)) {
      const Known condition = of(*e.args[0]);
      return condition ? of(*e.args[*condition == Literal(true) ? 1 : 2]) : Known();
    }
    if (e.is_call(kNotStrictlyFalse, 1)) return of(*e.args[0]);
    if (e.is_call(kLogicalNot, 1)) {
      const Known operand = of(*e.args[0]);
      return operand ? Known(*operand != Literal(true)) : Known();
    }
    if (e.is_call(kEquals, 2) || e.is_call(kNotEquals, 2)) {
      const Known left = of(*e.args[0]), right = of(*e.args[1]);
      return same_type(left, right) ? Known((left == right) == (e.name == kEquals)) : Known();
    }
    return e.is_call(kIn, 2) && e.args[1]->kind == ExprKind::List ? membership(*e.args[0], *e.args[1])
                                                                  : Known();
  }

  // && is false if an operand is (`decides` is false), || true if one is.
  Known either(const Expr& e, bool decides) {
    const Known left = of(*e.args[0]), right = of(*e.args[1]);
    if (left == Known(decides) || right == Known(decides)) return decides;
    return left && right ? Known(!decides) : Known();
  }

  Known membership(const Expr& item, const Expr& list) {
    const Known wanted = of(item);
    bool all = true;
    for (const Expr* element : list.args) {
      const Known one = of(*element);
      const bool comparable = same_type(wanted, one);
      if (comparable && one == wanted) return true;
      all = all && comparable;
    }
    return all ? Known(false) : Known();
  }

  // all(), exists() and the like over a list that is written out.
  Known fold(const Comprehension& f) {
    if (f.range->kind != ExprKind::List || !f.iter_var2.empty()) return {};
    const size_t outer = locals_.size();
    Known accumulated = of(*f.accu_init);
    for (const Expr* element : f.range->args) {
      Known item = of(*element);
      locals_.emplace_back(f.accu_var, std::move(accumulated));
      locals_.emplace_back(f.iter_var, std::move(item));
      accumulated = of(*f.loop_step);
      locals_.resize(outer);
    }
    locals_.emplace_back(f.accu_var, std::move(accumulated));
    Known result = of(*f.result);
    locals_.resize(outer);
    return result;
  }

  using Local = std::pair<std::string_view, Known>;
  const KindFacts& facts_;
  std::vector<Local> locals_;
  int steps_ = 0;
};

// The way from `e` to the node, from behind; false if the node is not in `e`.
bool find_way(const Expr& e, ExprId node, std::vector<const Expr*>& way) {
  bool found = e.id == node;
  for_each_child(e, [&](const Expr& child) { found = found || find_way(child, node, way); });
  if (found) way.push_back(&e);
  return found;
}

// Whether the operator `e` makes no use of its operand `child` in such requests.
bool ignores(const Expr& e, const Expr& child, Evaluation& evaluation) {
  if (e.is_call(operators::kConditional, 3) && &child != e.args[0])
    return evaluation.is(*e.args[0], &child != e.args[1]);
  if (!is_logical(e)) return false;
  return evaluation.is(*e.args[&child == e.args[0] ? 1 : 0], e.name == operators::kLogicalOr);
}

}  // namespace

std::optional<Literal> known_value(const Expr& root, const KindFacts& facts) {
  return Evaluation(facts).of(root);
}

bool is_guarded(const Expr& root, ExprId node, const KindFacts& facts) {
  std::vector<const Expr*> way;
  find_way(root, node, way);
  Evaluation evaluation(facts);
  for (size_t i = 1; i < way.size(); i++) {
    if (ignores(*way[i], *way[i - 1], evaluation)) return true;
  }
  return false;
}

}  // namespace portcullis
