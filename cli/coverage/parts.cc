// See parts.h.
#include "cli/coverage/parts.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "grammar/extent.h"
#include "grammar/source.h"
#include "grammar/unparse.h"
#include "typecheck/type.h"

namespace portcullis {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Calls that look into an optional.
bool opens_optional(const Expr& call) {
  return call.target != nullptr && is_one_of(call.name, {"or", "orValue", "optMap", "optFlatMap"});
}

bool is_loop(const Expr& call) {
  return call.target != nullptr && call.args.size() >= 2 &&
         is_one_of(call.name, {"all", "exists", "exists_one", "existsOne", "filter", "map", "sortBy",
                               "transformList", "transformMap", "transformMapEntry"});
}

class Listing {
 public:
  Listing(const Expression& expression, std::span<const ExprId> watched)
      : ast_(expression.ast()), source_(expression.text()), watched_(watched.begin(), watched.end()) {}

  std::vector<CoveragePart> list() {
    if (ast_.root == nullptr) return {};
    note_types(ast_.root);
    walk(ast_.root, {.whole = true});
    return std::move(parts_);
  }

 private:
  // What the surroundings say about a node.
  struct Role {
    bool whole = false, negated_whole = false, test = false, choice = false;
    int parent = -1;
    std::string_view chain = {};  // an operand of this operator
    int branch_of = -1;           // a branch of `?:` with this test
    bool chosen = false;
  };

  void note_types(const Expr* e) {
    if (e == nullptr) return;
    if (e->type != nullptr) types_[e->id] = e->type;
    note_types(e->target);
    for (const Expr* arg : e->args) note_types(arg);
    for (const Entry& entry : e->entries) {
      note_types(entry.key);
      note_types(entry.value);
    }
    if (e->fold == nullptr) return;
    const Comprehension& f = *e->fold;
    for (const Expr* part : {f.range, f.accu_init, f.loop_condition, f.loop_step, f.result}) note_types(part);
  }

  bool is_bool(const Expr* e) const {
    auto type = types_.find(e->id);
    return type != types_.end() && type->second->is(TypeKind::Bool);
  }

  void walk(const Expr* e, Role role) {
    if (e == nullptr) return;
    const Expr* w = ast_.written(e);
    if (w->kind == ExprKind::Unspecified || (w->kind == ExprKind::Literal && !role.whole)) return;
    const bool same_chain = is_logical(*w) && w->name == role.chain;
    const bool watched = watched_.contains(e->id);
    int here = role.parent;
    if (role.whole || (!same_chain && (watched || role.branch_of >= 0))) here = add(e, *w, role, watched);
    walk_children(e, *w, here, role.whole || role.negated_whole);
  }

  int add(const Expr* e, const Expr& w, const Role& role, bool watched) {
    CoveragePart part;
    part.node = e->id;
    const bool test = role.test || is_bool(e);
    part.kind = role.choice ? CoveragePart::Kind::Choice
                : test      ? CoveragePart::Kind::Test
                            : CoveragePart::Kind::Value;
    const bool negation = w.is_call(operators::kLogicalNot, 1);
    const bool same = role.whole || role.negated_whole || negation;  // it is counted elsewhere
    part.counts = watched && !same && part.kind != CoveragePart::Kind::Value;
    part.parent = role.parent;
    if (!watched) {
      part.test = role.branch_of;
      part.chosen = role.chosen;
    }
    const Span span = extent(ast_, e, source_);
    part.start = std::max(span.start, 0);
    part.stop = std::max(span.stop, part.start);
    UnparseOptions one_line;
    one_line.wrap_column = std::numeric_limits<int>::max();
    Result<std::string> text = unparse(ast_, e, one_line);
    part.text = text.ok() ? *text : w.name;
    parts_.push_back(std::move(part));
    return static_cast<int>(parts_.size()) - 1;
  }

  // `outer`: nothing but negations is around it.
  void walk_children(const Expr* e, const Expr& w, int here, bool outer) {
    if (w.kind == ExprKind::Comprehension || e->test_only) return;
    if (w.is_call(operators::kConditional, 3)) return walk_conditional(w, here);
    const bool logical = is_logical(w);
    const bool negation = w.is_call(operators::kLogicalNot, 1), tests = logical || negation;
    const bool loop = &w != e && is_loop(w);
    const size_t before = parts_.size();
    walk(w.target, {.choice = opens_optional(w), .parent = here});
    if (loop && here >= 0 && parts_[here].node == e->id && parts_.size() > before)
      parts_[here].range = static_cast<int>(before);
    for (size_t i = 0; i < w.args.size(); i++) {
      if (&w != e && declares(w, i)) continue;
      walk(w.args[i], {.negated_whole = outer && negation,
                       .test = tests || (loop && is_predicate(w, i)),
                       .parent = here,
                       .chain = logical ? std::string_view(w.name) : std::string_view()});
    }
    for (const Entry& entry : w.entries) {
      walk(entry.key, {.parent = here});
      walk(entry.value, {.parent = here});
    }
  }

  // The branches hang on the test.
  void walk_conditional(const Expr& w, int here) {
    const size_t test = parts_.size();
    walk(w.args[0], {.test = true, .parent = here});
    const bool told = parts_.size() > test;  // a literal test is no part
    for (size_t i : {1, 2}) {
      walk(w.args[i], {.parent = here, .branch_of = told ? static_cast<int>(test) : -1, .chosen = i == 1});
    }
  }

  // Whether the argument of a macro is the name of a variable.
  static bool declares(const Expr& macro, size_t argument) {
    if (macro.args[argument]->kind != ExprKind::Ident || argument + 1 >= macro.args.size()) return false;
    const bool two = macro.args.size() > 2 && macro.name != "map" && macro.name != "bind";
    return argument == 0 || (argument == 1 && two);
  }

  // Whether the argument decides something about the element.
  static bool is_predicate(const Expr& loop, size_t argument) {
    if (is_one_of(loop.name, {"all", "exists", "exists_one", "existsOne", "filter"}))
      return argument + 1 == loop.args.size();
    const size_t variables = loop.name == "map" ? 1 : 2;
    return loop.args.size() == variables + 2 && argument == variables;
  }

  const Ast& ast_;
  const Source source_;
  const std::unordered_set<ExprId> watched_;
  std::unordered_map<ExprId, const Type*> types_;
  std::vector<CoveragePart> parts_;
};

}  // namespace

std::vector<CoveragePart> coverage_parts(const Expression& expression, std::span<const ExprId> watched) {
  return Listing(expression, watched).list();
}

}  // namespace portcullis
