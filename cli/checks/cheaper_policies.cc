// See cheaper_policies.h.
#include "cli/checks/cheaper_policies.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "cli/checks/costs.h"
#include "grammar/shared_parses.h"
#include "grammar/unparse.h"

namespace portcullis {
namespace {

constexpr uint64_t kWorthTelling = 100;  // of a cost

std::string one_line(const Ast& ast, const Expr* e) {
  UnparseOptions options;
  options.wrap_column = std::numeric_limits<int>::max();
  Result<std::string> text = unparse(ast, e, options);
  return text.ok() ? *text : std::string();
}

template <class E, class Each>
void for_each_part(E& e, const Each& each) {
  each(e);
  for_each_child(e, [&](E& child) { for_each_part(child, each); });
}

// Of the tree as it is expanded and as it is written.
void for_each_node(Ast& ast, const std::function<void(Expr&)>& each) {
  for_each_part(*ast.root, each);
  for (auto& [id, call] : ast.macro_calls) for_each_part(*call, each);
}

// --- a cheap test first

// The first operand of a chain a && b && c, which leans to the left.
const Expr* first_test(const Expr* e) {
  const std::string_view name = e->name;
  while (e->is_call(name, 2)) e = e->args[0];
  return e;
}

class Order {
 public:
  Order(const Ast& ast, const EstimateParts& found) : ast_(ast), found_(found) {}

  // The text with the operands of the whole chain by their costs; empty if they are.
  std::string cheapest_first() {
    if (ast_.root == nullptr || !is_logical(*ast_.root)) return {};
    Ast changed = copy_of(ast_);
    bool any = false;
    for (int pass = 0; pass < kMostPasses && move(*changed.root); pass++) any = true;
    return any ? one_line(changed, changed.root) : std::string();
  }

  // The text with loops that one element decides (`exists` of `||`, `all` of `&&`) before those next to them that all
  // elements decide; empty if they are.
  std::string early_first() {
    if (ast_.root == nullptr || !is_logical(*ast_.root)) return {};
    Ast changed = copy_of(ast_);
    const std::vector<Expr**> chain = operands_of(changed.root);
    bool any = false;
    for (size_t pass = 0; pass < chain.size(); pass++) {
      for (size_t i = 1; i < chain.size(); i++) {
        Expr *&before = *chain[i - 1], *&after = *chain[i];
        // A test that costs far less stays first.
        if (!is_early(*after) || !is_late(*before) || most(before) < most(after) / 2) continue;
        std::swap(before, after);
        any = true;
      }
    }
    return any ? one_line(changed, changed.root) : std::string();
  }

  // What is paid at most until the first element of the first such loop decides the chain; nothing if there is none.
  std::optional<uint64_t> until_early() const {
    uint64_t paid = 0;
    Expr* root = ast_.root;
    for (Expr** operand : operands_of(root)) {
      if (is_early(**operand)) return saturating_add(paid, one_round(**operand));
      paid = saturating_add(paid, most(*operand));
    }
    return std::nullopt;
  }

  uint64_t most(const Expr* e) const {
    auto cost = found_.costs.find(e->id);
    return cost == found_.costs.end() ? 0 : cost->second.max;
  }

 private:
  static constexpr int kMostPasses = 16;

  // The operands of a chain a && b && c, which leans to the left.
  static std::vector<Expr**> operands_of(Expr*& root) {
    const std::string name = root->name;
    std::vector<Expr**> out;
    Expr** at = &root;
    for (; (*at)->is_call(name, 2); at = &(*at)->args[0]) out.push_back(&(*at)->args[1]);
    out.push_back(at);
    std::ranges::reverse(out);
    return out;
  }

  bool is_loop(const Expr& e, std::string_view macro) const {
    const Expr* written = ast_.written(&e);
    return e.kind == ExprKind::Comprehension && written != &e && written->name == macro;
  }
  bool of_and() const { return ast_.root->is_call(operators::kLogicalAnd, 2); }
  bool is_early(const Expr& e) const { return is_loop(e, of_and() ? "all" : "exists"); }
  bool is_late(const Expr& e) const { return is_loop(e, of_and() ? "exists" : "all"); }

  uint64_t one_round(const Expr& loop) const {
    auto rounds = found_.rounds.find(loop.id);
    const uint64_t range = most(loop.fold->range), all = most(&loop);
    if (rounds == found_.rounds.end() || rounds->second.max == 0 || all < range) return all;
    return range + (all - range) / rounds->second.max + 1;
  }

  // Moves operands of the chain over the one before. False if none has to.
  bool move(Expr& e) const {
    Expr* left = e.args[0];
    const bool chain = left->is_call(e.name, 2);
    Expr*& before = chain ? left->args[1] : e.args[0];
    bool any = most(e.args[1]) < most(before) / 2;
    if (any) std::swap(before, e.args[1]);
    return (chain && move(*left)) || any;
  }

  const Ast& ast_;
  const EstimateParts& found_;
};

// --- a variable instead of repetition

// The parts that compute something and can stand outside of the loops around them.
class Candidates {
 public:
  // Adds the texts of all parts that may become a variable; of huge expressions none.
  void add(const Ast& ast, const EstimateParts& found) {
    constexpr ExprId kMostNodes = 2000;
    if (ast.last_id() > kMostNodes) return;
    ast_ = &ast;
    costs_ = &found;
    visit(*ast.root, {});
  }

  // Those that occur more than once, and would save the most.
  std::vector<std::string> best(size_t most) const {
    std::vector<std::pair<uint64_t, std::string>> ranked;
    for (const auto& [text, seen] : seen_) {
      if (seen.count > 1) ranked.emplace_back(saturating_multiply(seen.count - 1, seen.cost), text);
    }
    std::ranges::sort(ranked, std::ranges::greater());
    std::vector<std::string> out;
    for (size_t i = 0; i < std::min(most, ranked.size()); i++) out.push_back(std::move(ranked[i].second));
    return out;
  }

 private:
  struct Seen {
    uint64_t count = 0, cost = 0;
  };

  // True if the part reads a variable of a loop.
  bool visit(const Expr& e, const std::set<std::string>& locals) {
    if (e.kind == ExprKind::Ident) return locals.contains(e.name);
    bool bound = false;
    if (e.fold == nullptr) {
      for_each_child(e, [&](const Expr& child) { bound |= visit(child, locals); });
    } else {
      const Comprehension& f = *e.fold;
      bound |= visit(*f.range, locals);
      bound |= visit(*f.accu_init, locals);
      std::set<std::string> inner = locals;
      inner.insert({f.iter_var, f.iter_var2, f.accu_var});
      for (const Expr* part : {f.loop_condition, f.loop_step, f.result}) visit(*part, inner);
      bound |= reads(*f.loop_step, locals);
    }
    bool computes = e.kind == ExprKind::Call || e.kind == ExprKind::Comprehension;
    if (computes && !bound) {
      auto cost = costs_->costs.find(e.id);
      std::string text = one_line(*ast_, &e);
      if (cost != costs_->costs.end() && !text.empty()) {
        Seen& seen = seen_[text];
        seen.count++;
        seen.cost = cost->second.max;
      }
    }
    return bound;
  }
  static bool reads(const Expr& e, const std::set<std::string>& names) {
    bool found = false;
    for_each_part(
        e, [&](const Expr& part) { found |= part.kind == ExprKind::Ident && names.contains(part.name); });
    return found;
  }

  const Ast* ast_ = nullptr;
  const EstimateParts* costs_ = nullptr;
  std::map<std::string, Seen> seen_;
};

// The text of the expression with `variables.NAME` for each part with this text; empty if there is none.
std::string with_variable(const Ast& ast, const std::string& part, const std::string& name) {
  Ast changed = copy_of(ast);
  std::set<ExprId> ids;
  for_each_part(*changed.root, [&](Expr& e) {
    bool computes = e.kind == ExprKind::Call || e.kind == ExprKind::Comprehension;
    if (computes && one_line(changed, &e) == part) ids.insert(e.id);
  });
  if (ids.empty()) return {};
  for (ExprId id : ids) changed.macro_calls.erase(id);
  for_each_node(changed, [&](Expr& e) {
    if (!ids.contains(e.id)) return;
    Expr* root = changed.make(ExprKind::Ident, changed.next_id({}));
    root->name = "variables";
    e.kind = ExprKind::Select;
    e.name = name;
    e.target = root;
    e.args.clear();
    e.fold.reset();
  });
  return one_line(changed, changed.root);
}

class Cheaper {
 public:
  Cheaper(const InputObject& policy, const std::vector<PolicyText>& texts, const Assumptions& assumed,
          SharedParses& parses, WorstCosts& costs)
      : policy_(policy), texts_(texts), assumed_(assumed), parses_(parses), costs_(costs) {
    before_ = estimate_policy(policy_, texts_, assumed_, parses_, false);
  }

  void run() {
    for (size_t i = 0; i < texts_.size(); i++) reorder(i);
    share();
  }

 private:
  PolicyEstimates with(const std::vector<PolicyText>& texts) const {
    return estimate_policy(policy_, texts, assumed_, parses_, false);
  }
  static bool compiles(const PolicyEstimates& found) {
    return std::ranges::all_of(found.expressions, [](const WorstCost& c) { return c.error.empty(); });
  }

  void reorder(size_t i) {
    const ExpressionPtr& expression = before_.compiled[i];
    if (expression == nullptr || before_.expressions[i].max < kWorthTelling) return;
    Order order(expression->ast(), before_.parts[i]);
    if (std::string text = order.cheapest_first(); !text.empty()) return cheap_first(i, text);
    if (std::string text = order.early_first(); !text.empty()) early_first(i, text);
  }

  void cheap_first(size_t i, const std::string& text) {
    advise_order(i, text, "test what is cheap first: ", "when the first test decides, at most",
                 [&](const PolicyEstimates& found) {
                   const Ast& ast = found.compiled[i]->ast();
                   return Order(ast, found.parts[i]).most(first_test(ast.root));
                 });
  }

  void early_first(size_t i, const std::string& text) {
    advise_order(i, text, "test first what one element decides: ", "when the first element decides, at most",
                 [&](const PolicyEstimates& found) {
                   return Order(found.compiled[i]->ast(), found.parts[i]).until_early().value_or(0);
                 });
  }

  // Advises another order of tests if it costs no more at worst, and less by `cost`.
  template <typename Cost>
  void advise_order(size_t i, const std::string& text, const std::string& what, const char* when, Cost cost) {
    std::vector<PolicyText> changed = texts_;
    changed[i].text = text;
    PolicyEstimates after = with(changed);
    if (!compiles(after) || after.expressions[i].max > before_.expressions[i].max) return;
    if (cost(after) < cost(before_))
      costs_.expressions[i].advice.push_back({what + text, when, cost(before_), cost(after)});
  }

  // The best of the parts that several validations, messages or annotations compute.
  void share() {
    const CostBudget* paid = before_.budget("validations");
    if (paid == nullptr || paid->worst < kWorthTelling || !compiles(before_)) return;
    Candidates candidates;
    for (size_t i = 0; i < texts_.size(); i++) {
      if (may_read_variables(i)) candidates.add(before_.compiled[i]->ast(), before_.parts[i]);
    }
    CostAdvice best;
    for (const std::string& part : candidates.best(kMostTries)) {
      uint64_t now = budget_with(part);
      if (now >= paid->worst || cost_text(now) == cost_text(paid->worst) ||
          (best.after != 0 && now >= best.after))
        continue;
      best = {"compute once, as a variable: " + part, "validations at most", paid->worst, now};
    }
    if (!best.text.empty()) costs_.advice.push_back(best);
  }

  bool may_read_variables(size_t i) const {
    return texts_[i].place->variables && texts_[i].place->role != ExpressionRole::Variable;
  }

  // What validations cost with a variable for the part; as much as before if that does not compile.
  uint64_t budget_with(const std::string& part) const {
    const uint64_t before = before_.budget("validations")->worst;
    std::string name = "shared";
    while (std::ranges::find(texts_, name, &PolicyText::name) != texts_.end()) name += "_";
    std::vector<PolicyText> changed;
    const auto variables_end = std::ranges::find_if(texts_, [&](const PolicyText& t) {
      return t.place->role != ExpressionRole::Variable && t.place->role != ExpressionRole::MatchCondition;
    });
    const size_t end = static_cast<size_t>(variables_end - texts_.begin());
    for (size_t i = 0; i <= texts_.size(); i++) {
      if (i == end) changed.push_back({&place_of(ExpressionRole::Variable), -1, "", "", name, part});
      if (i == texts_.size()) break;
      changed.push_back(texts_[i]);
      if (!may_read_variables(i)) continue;
      std::string text = with_variable(before_.compiled[i]->ast(), part, name);
      if (!text.empty()) changed.back().text = text;
    }
    PolicyEstimates after = with(changed);
    const CostBudget* paid = after.budget("validations");
    return paid == nullptr || !compiles(after) ? before : paid->worst;
  }

  static constexpr size_t kMostTries = 16;  // of parts, each of which compiles the policy
  const InputObject& policy_;
  const std::vector<PolicyText>& texts_;
  const Assumptions& assumed_;
  SharedParses& parses_;
  WorstCosts& costs_;
  PolicyEstimates before_;
};

}  // namespace

void add_cheaper(const InputObject& policy, const std::vector<PolicyText>& texts, const Assumptions& assumed,
                 SharedParses& parses, WorstCosts& costs) {
  Cheaper(policy, texts, assumed, parses, costs).run();
}

}  // namespace portcullis
