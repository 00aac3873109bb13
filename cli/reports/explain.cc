// See explain.h.
#include "cli/reports/explain.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_set>

#include "cli/messages/visible.h"
#include "grammar/unparse.h"
#include "interpreter/values/print.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

// The most values of one evaluation that are kept; loops over thousands of elements show their last round
// only.
constexpr size_t kMaxEvents = 200'000;

// Longer expressions do not align their values; longer values are cut.
constexpr size_t kMaxColumn = 60, kMaxValue = 160;

// The number of characters, assuming that each takes one column.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_loop(std::string_view macro) {
  for (std::string_view name : {"all", "exists", "exists_one", "existsOne", "filter", "map"}) {
    if (macro == name) return true;
  }
  return false;
}

// Whether the expression is a path, such as `a.b[0].c`, whose steps have no values of their own.
bool is_path(const Expr& e) {
  if (e.kind == ExprKind::Select) return true;
  return e.kind == ExprKind::Call &&
         (e.name == operators::kIndex || e.name == operators::kOptIndex || e.name == operators::kOptSelect);
}

class Explaining {
 public:
  Explaining(const Ast& ast, const NodeLog& log) : ast_(ast), log_(log) {}

  Explanation explain() {
    Explanation out;
    if (ast_.root == nullptr) return out;
    parts_ = &out.parts;
    variables_ = &out.variables;
    out.whole = offset_of(ast_.root);
    walk(ast_.root, 0, false);
    parts_ = &out.blamed;
    variables_ = &out.blamed_variables;
    const Expr* culprit = find_culprit();
    if (culprit == nullptr) return out;
    out.offset = is_logical(*ast_.written(culprit)) ? first_offset(culprit) : offset_of(culprit);
    walk(culprit, 0, false);
    out.subject = first_path(culprit);
    if (out.subject.empty()) out.subject = first_path(ast_.root);
    return out;
  }

  // The path that `e` is: "object.spec.containers[0].image"; empty if it is none.
  std::string path_of(const Expr* e) const {
    if (e == nullptr) return {};
    if (e->kind == ExprKind::Ident) {
      auto loop = elements_.find(e->name);
      if (loop != elements_.end()) return loop->second;
      return e->name == "object" || e->name == "variables" ? e->name : std::string();
    }
    const bool select = e->kind == ExprKind::Select;
    if (!select && !(is_path(*e) && e->args.size() == 2)) return {};
    std::string base = path_of(select ? e->target : e->args[0]);
    if (base.empty() || select) return base.empty() ? base : base + "." + e->name;
    const Literal& key = e->args[1]->literal;
    if (auto* number = std::get_if<int64_t>(&key)) return base + "[" + std::to_string(*number) + "]";
    auto* name = std::get_if<std::string>(&key);
    return name == nullptr ? std::string() : base + "[" + *name + "]";
  }

  // The first path below a root in the order of the text.
  std::string first_path(const Expr* e) const {
    if (e == nullptr) return {};
    std::string path = path_of(e);
    if (path.find_first_of(".[") != path.npos) return path;
    const Expr* w = ast_.written(e);
    std::string found = w == e && e->kind == ExprKind::Comprehension ? std::string() : first_path(w->target);
    for (size_t i = 0; i < w->args.size() && found.empty(); i++) found = first_path(w->args[i]);
    for (size_t i = 0; i < w->entries.size() && found.empty(); i++) {
      found = first_path(w->entries[i].key);
      if (found.empty()) found = first_path(w->entries[i].value);
    }
    return found;
  }

 private:
  int offset_of(const Expr* e) const { return std::max(ast_.span(e->id).start, -1); }
  // The start of a node's text.
  int first_offset(const Expr* e) const {
    const Expr* w = ast_.written(e);
    int first = offset_of(e);
    auto take = [&](const Expr* child) {
      int at = child == nullptr ? -1 : first_offset(child);
      if (at >= 0 && (first < 0 || at < first)) first = at;
    };
    take(w->target);
    for (const Expr* arg : w->args) take(arg);
    return first;
  }

  // --- all parts ---

  // `hidden`: shown only if it has a value of its own.
  void walk(const Expr* e, int depth, bool hidden) {
    if (e == nullptr || e->kind == ExprKind::Literal || ast_.written(e)->kind == ExprKind::Unspecified)
      return;
    const Value* value = log_.last(e->id);
    if (value != nullptr || hidden) add_variable(*e);
    if (value != nullptr || !hidden) {
      UnparseOptions one_line;
      one_line.wrap_column = std::numeric_limits<int>::max();
      Result<std::string> text = unparse(ast_, e, one_line);
      ExplainedPart& part = parts_->emplace_back();
      part.depth = depth;
      part.text = text.ok() ? *text : e->name;
      std::replace(part.text.begin(), part.text.end(), '\n', ' ');
      part.evaluated = value != nullptr;
      if (value != nullptr) part.value = value_text(*value, 0);
      part.times = log_.times(e->id);
      if (value == nullptr) return;  // no part of it was evaluated
      depth++;
    }
    walk_children(e, depth, hidden && value == nullptr);
  }

  void walk_children(const Expr* e, int depth, bool hidden) {
    const Expr* w = ast_.written(e);
    if (e->test_only && e->target != nullptr) add_variable(*e->target);
    if (w->kind == ExprKind::Comprehension || e->test_only) return;
    bool path = hidden || is_path(*w);
    walk(w->target, depth, path);
    if (is_logical(*w)) return walk_operands(w, depth);
    bool loop = w != e && is_loop(w->name) && w->target != nullptr;
    if (loop) element(w, depth);
    for (size_t i = 0; i < w->args.size(); i++) {
      if (loop && w->args[i]->kind == ExprKind::Ident && i + 1 < w->args.size()) continue;  // loop variables
      walk(w->args[i], depth, path || (w != e && !loop && i == 0));
    }
    for (const Entry& entry : w->entries) {
      walk(entry.key, depth, false);
      walk(entry.value, depth, false);
    }
  }

  // Records `variables.x`.
  void add_variable(const Expr& e) {
    if (e.kind != ExprKind::Select || e.test_only || e.target == nullptr ||
        e.target->kind != ExprKind::Ident || e.target->name != "variables")
      return;
    if (std::ranges::find(*variables_, e.name) == variables_->end()) variables_->push_back(e.name);
  }

  // Shows the operands of `a && b && c` at one level.
  void walk_operands(const Expr* w, int depth) {
    for (const Expr* side : w->args) {
      bool same = side->kind == ExprKind::Call && side->name == w->name && log_.last(side->id) != nullptr;
      same ? walk_operands(side, depth) : walk(side, depth, false);
    }
  }

  // The element of the last round of a loop.
  void element(const Expr* loop, int depth) {
    const Value* range = log_.last(loop->target->id);
    size_t round = log_.times_since(loop->args.back()->id, loop->target->id);
    if (range == nullptr || round == 0 || loop->args[0]->kind != ExprKind::Ident) return;
    ExplainedPart part{depth, loop->args[0]->name,
                       true,  {},
                       round, range->is(Kind::List) || range->is(Kind::Map) ? range->size() : 0};
    if (range->is(Kind::List) && round <= range->size()) {
      part.value = value_text(range->as_list()[round - 1], 0);
    } else if (range->is(Kind::Map) && round <= range->size()) {
      part.value = value_text(range->as_map()[round - 1].key, 0);
    } else {
      return;
    }
    parts_->push_back(std::move(part));
  }

  // The path of the element of the last round, for paths that begin with the loop's variable.
  void remember_element(const Expr* loop) {
    size_t round = log_.times_since(loop->args.back()->id, loop->target->id);
    const Value* range = log_.last(loop->target->id);
    if (round == 0 || range == nullptr || loop->args[0]->kind != ExprKind::Ident) return;
    std::string path = range->is(Kind::List) ? path_of(loop->target) : std::string();
    if (!path.empty()) path += "[" + std::to_string(round - 1) + "]";
    elements_[loop->args[0]->name] = path;
  }

  // --- the part that decided ---

  const Expr* find_culprit() {
    const Value* result = log_.last(ast_.root->id);
    if (result == nullptr && !log_.events().empty()) result = &log_.events().back().value;
    if (result == nullptr) return nullptr;
    if (result->is_error()) return first_error(ast_.root, result->as_error().message);
    return result->is(Kind::Bool) ? decider(ast_.root, result->as_bool()) : nullptr;
  }

  // The innermost node with this error.
  const Expr* first_error(const Expr* e, std::string_view message) {
    if (e == nullptr) return nullptr;
    const Expr* w = ast_.written(e);
    auto in = [&](const Expr* child) { return first_error(child, message); };
    if (const Expr* found = in(w->target)) return found;
    for (const Expr* arg : w->args) {
      if (const Expr* found = in(arg)) return found;
    }
    for (const Entry& entry : w->entries) {
      if (const Expr* found = in(entry.key)) return found;
      if (const Expr* found = in(entry.value)) return found;
    }
    const Value* v = log_.last(e->id);
    return v != nullptr && v->is_error() && v->as_error().message == message ? e : nullptr;
  }

  // The innermost node that alone caused the `outcome` of `e`.
  const Expr* decider(const Expr* e, bool outcome) {
    const Expr* w = ast_.written(e);
    auto gave = [&](const Expr* child, bool value) {
      const Value* v = log_.last(child->id);
      return v != nullptr && v->is(Kind::Bool) && v->as_bool() == value;
    };
    if (w->is_call(operators::kLogicalNot, 1) && gave(w->args[0], !outcome))
      return decider(w->args[0], !outcome);
    if (w->is_call(outcome ? operators::kLogicalOr : operators::kLogicalAnd, 2)) {
      for (const Expr* side : w->args) {
        if (gave(side, outcome)) return decider(side, outcome);
      }
    }
    if (w->is_call(operators::kConditional, 3)) {
      const Value* condition = log_.last(w->args[0]->id);
      const Expr* branch = condition != nullptr && condition->is_true() ? w->args[1] : w->args[2];
      if (gave(branch, outcome)) return decider(branch, outcome);
    }
    bool ends_early =
        w != e && w->target != nullptr && w->args.size() >= 2 && w->name == (outcome ? "exists" : "all");
    if (ends_early && gave(w->args.back(), outcome)) {
      element(w, 0);
      remember_element(w);
      return decider(w->args.back(), outcome);
    }
    return e;
  }

  const Ast& ast_;
  const NodeLog& log_;
  std::map<std::string, std::string> elements_;  // loop variable: path of its element, empty if it has none
  std::vector<ExplainedPart>* parts_ = nullptr;
  std::vector<std::string>* variables_ = nullptr;
};

}  // namespace

void NodeLog::on_value(ExprId node, const Value& value) {
  if (events_.size() >= kMaxEvents) events_.erase(events_.begin(), events_.begin() + kMaxEvents / 2);
  events_.push_back({node, value});
}

void NodeLog::keep_failure() {
  if (events_.empty() || !events_.back().value.is_error()) return;
  std::string_view message = events_.back().value.as_error().message;
  auto failed = [&](const Event& e) { return e.value.is_error() && e.value.as_error().message == message; };
  auto first = std::find_if(events_.begin(), events_.end(), failed);
  std::unordered_set<ExprId> seen;
  std::for_each(events_.begin(), first, [&](const Event& e) { seen.insert(e.node); });
  auto superseded = [&](const Event& e) { return !seen.insert(e.node).second && !failed(e); };
  events_.erase(std::remove_if(first, events_.end(), superseded), events_.end());
}

const Value* NodeLog::last(ExprId node) const {
  auto found = std::find_if(events_.rbegin(), events_.rend(), [&](const Event& e) { return e.node == node; });
  return found == events_.rend() ? nullptr : &found->value;
}

size_t NodeLog::times(ExprId node) const {
  return static_cast<size_t>(
      std::count_if(events_.begin(), events_.end(), [&](const Event& e) { return e.node == node; }));
}

size_t NodeLog::times_since(ExprId node, ExprId other) const {
  size_t count = 0;
  for (auto e = events_.rbegin(); e != events_.rend() && e->node != other; ++e) count += e->node == node;
  return count;
}

std::string subject_of(const Ast& ast, bool& whole) {
  NodeLog none;
  Explaining reading(ast, none);
  std::string path = reading.path_of(ast.root);
  whole = !path.empty();
  return whole ? path : reading.first_path(ast.root);
}

Explanation explain_log(const Ast& ast, NodeLog& log) {
  log.keep_failure();
  return Explaining(ast, log).explain();
}

namespace {
// At most `limit` bytes, and a sign that there was more.
std::string shortened(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit;
  while (end > 0 && (text[end] & 0xc0) == 0x80) end--;
  return text.substr(0, end) + "…";
}
}  // namespace

std::string value_text(const Value& value, size_t limit) {
  std::string text = value.is_error() ? "error: " + std::string(value.as_error().message)
                                      : format_cel(value, limit == 0 ? kMaxText : limit);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return limit == 0 ? text : shortened(text, limit);
}

std::string explained_text(const std::vector<ExplainedPart>& parts, std::string_view indent,
                           const Paint& paint) {
  auto width_of = [](const ExplainedPart& p) {
    return 2 * static_cast<size_t>(p.depth) + width(visible(p.text));
  };
  size_t column = 0;
  for (const ExplainedPart& p : parts) {
    if (width_of(p) <= kMaxColumn) column = std::max(column, width_of(p));
  }
  std::string out;
  for (const ExplainedPart& p : parts) {
    out.append(p.evaluated ? "" : paint.dim)
        .append(indent)
        .append(2 * static_cast<size_t>(p.depth), ' ')
        .append(visible(p.text));
    if (width_of(p) < column) out.append(column - width_of(p), ' ');
    out.append("  ").append(p.evaluated ? visible(shortened(p.value, kMaxValue)) : "(not evaluated)");
    if (p.of > 0) {
      out += "  (element " + std::to_string(p.times) + " of " + std::to_string(p.of) + ")";
    } else if (p.times > 1) {
      out += "  (last of " + std::to_string(p.times) + ")";
    }
    out.append(p.evaluated ? "" : paint.reset).append("\n");
  }
  return out;
}

std::string expression_text(const ExplainedExpression& e, const Paint& paint) {
  constexpr std::string_view kIndent = "      | ", kBlank = " \t\r\n";
  std::string out;
  if (e.blame >= 0) {
    out = point_at(e.text, position_in(e.text, e.blame), kIndent);
  } else if (size_t first = e.text.find_first_not_of(kBlank); first != e.text.npos) {
    out = visible_block(std::string_view(e.text).substr(first, e.text.find_last_not_of(kBlank) - first + 1),
                        kIndent);
  }
  return out + explained_text(e.values, "        ", paint);
}

}  // namespace portcullis
