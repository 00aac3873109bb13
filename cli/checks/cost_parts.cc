// Blames the static cost of an expression on its parts: cost_parts() of worst_costs.h.
#include <algorithm>
#include <limits>

#include "cli/checks/worst_costs.h"
#include "grammar/unparse.h"

namespace portcullis {
namespace {

class Blame {
 public:
  Blame(const Ast& ast, const EstimateParts& found) : ast_(ast), found_(found) {}

  std::vector<CostPart> run() {
    if (ast_.root != nullptr) visit(*ast_.root, 1, 0);
    return std::move(out_);
  }

 private:
  struct Child {
    const Expr* expr;
    uint64_t cost, times;
  };

  std::optional<uint64_t> cost_of(const Expr& e, uint64_t times) const {
    auto cost = found_.costs.find(e.id);
    if (cost == found_.costs.end()) return std::nullopt;
    return saturating_multiply(cost->second.max, times);
  }

  // Bounds of what is told, since the text of a part contains those of its parts.
  static constexpr size_t kMostParts = 500, kMostText = 1000;

  void visit(const Expr& e, uint64_t times, int depth) {
    if (out_.size() == kMostParts) return;
    auto rounds = found_.rounds.find(e.id);
    const uint64_t loop = rounds == found_.rounds.end() ? 0 : rounds->second.max;
    out_.push_back({depth, text_of(e), cost_of(e, times).value_or(0), loop});
    std::vector<Child> children;
    auto add = [&](const Expr* child, uint64_t n) {
      if (child == nullptr || child->kind == ExprKind::Literal) return;
      if (auto cost = cost_of(*child, n); cost && *cost > 0) children.push_back({child, *cost, n});
    };
    for_children(e, times, loop == 0 ? times : saturating_multiply(times, loop), add);
    std::ranges::stable_sort(children, std::ranges::greater(), &Child::cost);
    for (const Child& c : children) visit(*c.expr, c.times, depth + 1);
  }

  // The parts as they are written; `inside`: how often those in a loop are evaluated. (A macro call within another one
  // is stored as an empty node with its id.)
  template <class Add>
  void for_children(const Expr& e, uint64_t times, uint64_t inside, Add add) const {
    auto call = ast_.macro_calls.find(e.id);
    const Expr& written = call == ast_.macro_calls.end() ? e : *call->second;
    if (e.test_only || written.kind == ExprKind::Comprehension || written.kind == ExprKind::Select) return;
    if (is_logical(written)) return add_operands(written, times, add);
    add(written.target, times);
    for (const Expr* arg : written.args) add(arg, inside);
    for (const Entry& entry : written.entries) {
      add(entry.key, times);
      add(entry.value, times);
    }
  }

  // Those of a chain a && b && c, one beside the other.
  template <class Add>
  static void add_operands(const Expr& e, uint64_t times, Add add) {
    for (const Expr* arg : e.args) {
      if (arg->is_call(e.name, 2)) {
        add_operands(*arg, times, add);
      } else {
        add(arg, times);
      }
    }
  }

  std::string text_of(const Expr& e) const {
    UnparseOptions one_line;
    one_line.wrap_column = std::numeric_limits<int>::max();
    Result<std::string> text = unparse(ast_, &e, one_line);
    std::string out = text.ok() ? *text : e.name;
    std::ranges::replace(out, '\n', ' ');
    return cut(std::move(out), kMostText);
  }

  const Ast& ast_;
  const EstimateParts& found_;
  std::vector<CostPart> out_;
};

}  // namespace

std::string cut(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (text[end] & 0xc0) == 0x80) end--;
  return text.replace(end, text.npos, "...");
}

std::vector<CostPart> cost_parts(const Ast& ast, const EstimateParts& found) {
  return Blame(ast, found).run();
}

}  // namespace portcullis
