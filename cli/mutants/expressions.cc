// See expressions.h.
#include "cli/mutants/expressions.h"

#include <algorithm>
#include <limits>

#include "grammar/extent.h"
#include "grammar/parse.h"
#include "grammar/unparse.h"

namespace portcullis {
namespace {

namespace op = operators;

const ParseOptions kAsWritten = {.macros = nullptr, .optional_syntax = true};

std::string printed(const Ast& ast, const Expr* e) {
  UnparseOptions one_line;
  one_line.wrap_column = std::numeric_limits<int>::max();
  Result<std::string> text = unparse(ast, e, one_line);
  return text.ok() ? *text : std::string();
}

// The printed text of an expression; empty if it does not parse.
std::string normal(std::string_view text) {
  const Parsed parsed = parse(Source(text), kAsWritten);
  return parsed.ok() ? printed(parsed.ast, parsed.ast.root) : std::string();
}

struct Exchange {
  std::string_view from, to;
};

// Each relation with the one that differs at equality, and its opposite.
constexpr struct {
  std::string_view from, nearby, opposite;
} kRelations[] = {{op::kLess, op::kLessEquals, op::kGreaterEquals},
                  {op::kLessEquals, op::kLess, op::kGreater},
                  {op::kGreater, op::kGreaterEquals, op::kLessEquals},
                  {op::kGreaterEquals, op::kGreater, op::kLess},
                  {op::kEquals, {}, op::kNotEquals},
                  {op::kNotEquals, {}, op::kEquals}};

constexpr Exchange kArithmetic[] = {{op::kAdd, op::kSubtract},
                                    {op::kSubtract, op::kAdd},
                                    {op::kMultiply, op::kDivide},
                                    {op::kDivide, op::kMultiply},
                                    {op::kModulo, op::kMultiply}};

// all and exists are quantifiers; the other functions are mistaken for each other.
constexpr Exchange kQuantifiers[] = {
    {"all", "exists"}, {"exists", "all"}, {"exists_one", "exists"}, {"existsOne", "exists"}};
constexpr Exchange kMethods[] = {{"startsWith", "endsWith"},
                                 {"endsWith", "startsWith"},
                                 {"isLessThan", "isGreaterThan"},
                                 {"isGreaterThan", "isLessThan"},
                                 {"min", "max"},
                                 {"max", "min"}};

// Fields that are mistaken for each other.
constexpr Exchange kSiblings[] = {{"containers", "initContainers"},
                                  {"initContainers", "containers"},
                                  {"ephemeralContainers", "containers"},
                                  {"labels", "annotations"},
                                  {"annotations", "labels"},
                                  {"limits", "requests"},
                                  {"requests", "limits"},
                                  {"cpu", "memory"},
                                  {"memory", "cpu"},
                                  {"name", "namespace"},
                                  {"namespace", "name"},
                                  {"username", "uid"},
                                  {"hostNetwork", "hostPID"},
                                  {"hostPID", "hostIPC"},
                                  {"hostIPC", "hostPID"},
                                  {"minReplicas", "maxReplicas"},
                                  {"maxReplicas", "minReplicas"},
                                  {"maxUnavailable", "minAvailable"},
                                  {"minAvailable", "maxUnavailable"}};

std::string_view exchanged(std::span<const Exchange> table, std::string_view name) {
  auto found = std::ranges::find(table, name, &Exchange::from);
  return found == table.end() ? std::string_view() : found->to;
}

std::string code(std::string_view text) {
  constexpr size_t kMost = 80;
  if (text.size() <= kMost) return "`" + std::string(text) + "`";
  size_t end = kMost;
  while (end > 0 && (text[end] & 0xc0) == 0x80) end--;
  return "`" + std::string(text.substr(0, end)) + "…`";
}

class Changer {
 public:
  Changer(std::string_view text, const FieldsRead& fields, bool texts)
      : source_(text),
        fields_(fields),
        texts_(texts),
        parsed_(parse(source_, kAsWritten)),
        ast_(parsed_.ast) {}

  std::vector<ExpressionChange> list() {
    if (!parsed_.ok() || ast_.root == nullptr) return {};
    original_ = printed(ast_, ast_.root);
    known_.insert(original_);
    walk(ast_.root, nullptr);
    std::ranges::stable_sort(out_, {}, &ExpressionChange::start);
    return std::move(out_);
  }

 private:
  std::string text_of(const Expr* e) const { return printed(ast_, e); }

  // --- making a change ---

  // The places of a change in the source, and what stands there then. The first that makes the changed tree counts.
  struct Splice {
    Span place;
    std::string text;
  };

  // `slot` holds the node that `by` replaces.
  void offer(Expr*& slot, Expr* by, std::string_view sort, std::string hint) {
    Expr* const old = slot;
    const Span place = extent(ast_, old, source_);
    slot = by;
    std::string whole = printed(ast_, ast_.root);
    slot = old;
    const std::string after = source_text(by);
    add({{place, after}, {place, "(" + after + ")"}}, std::move(whole), sort, std::move(hint));
  }
  // The same where the node itself changes: `edit` does it, `restore` takes it back. `splices` come before the printed
  // node.
  template <class Edit, class Restore>
  void offer(Expr& node, std::vector<Splice> splices, Edit edit, Restore restore, std::string_view sort,
             std::string hint) {
    edit();
    std::string whole = printed(ast_, ast_.root);
    splices.push_back({extent(ast_, &node, source_), text_of(&node)});
    restore();
    add(splices, std::move(whole), sort, std::move(hint));
  }
  void rename(Expr& node, std::string_view to, std::string_view sort, std::string hint) {
    if (to.empty()) return;
    const std::string old = node.name;
    offer(node, renamed(node, to), [&] { node.name = to; }, [&] { node.name = old; }, sort, std::move(hint));
  }

  // The node as it is written; a new one as it is printed.
  std::string source_text(const Expr* e) const {
    const Span place = extent(ast_, e, source_);
    if (ast_.span(e->id).start >= 0) return source_.slice(place.start, place.stop);
    if (!e->is_call(op::kLogicalNot, 1)) return text_of(e);
    const std::string inner = source_text(e->args[0]);
    return e->args[0]->name == "has" ? "!" + inner : "!(" + inner + ")";
  }

  // Where the name of a node stands: an operator, a function before its bracket, the end of a path.
  std::vector<Splice> renamed(const Expr& node, std::string_view to) const {
    const Span token = ast_.span(node.id), whole = extent(ast_, &node, source_);
    if (node.kind == ExprKind::Call && node.name.starts_with('_')) {
      const std::string symbol(to.substr(1, to.size() - 2));
      return {{token, symbol},
              {whole, "(" + source_.slice(whole.start, token.start) + symbol +
                          source_.slice(token.stop, whole.stop) + ")"}};
    }
    const auto size = static_cast<int32_t>(node.name.size());
    int32_t stop = node.kind == ExprKind::Call ? token.start : whole.stop;
    while (stop > 0 && source_.runes()[static_cast<size_t>(stop) - 1] <= ' ') stop--;
    if (stop < size || source_.slice(stop - size, stop) != node.name) return {};
    return {{{stop - size, stop}, std::string(to)}};
  }

  void add(const std::vector<Splice>& splices, std::string whole, std::string_view sort, std::string hint) {
    if (whole.empty() || !known_.insert(whole).second) return;
    // Comments or unusual layout: the whole expression is printed anew.
    Splice used = {{0, source_.size()}, whole};
    std::string text = whole;
    for (const Splice& s : splices) {
      if (s.place.start < 0) continue;
      std::string spliced =
          source_.slice(0, s.place.start) + s.text + source_.slice(s.place.stop, source_.size());
      if (normal(spliced) != whole) continue;
      used = s;
      text = std::move(spliced);
      break;
    }
    out_.push_back({.start = used.place.start,
                    .text = std::move(text),
                    .sort = std::string(sort),
                    .hint = std::move(hint)});
  }

  Expr* literal(Literal value) {
    Expr* made = ast_.make(ExprKind::Literal, ast_.next_id({}));
    made->literal = std::move(value);
    return made;
  }
  Expr* negated(Expr* e) {
    Expr* made = ast_.make(ExprKind::Call, ast_.next_id({}));
    made->name = op::kLogicalNot;
    made->args = {e};
    return made;
  }

  // --- nodes ---

  void walk(Expr*& slot, const Expr* parent) {
    Expr* const e = slot;
    if (e == nullptr) return;
    switch (e->kind) {
      case ExprKind::Literal: change_literal(slot, parent); break;
      case ExprKind::Call: change_call(slot, parent != nullptr && parent->is_call(op::kLogicalNot, 1)); break;
      case ExprKind::List: change_list(*e); break;
      case ExprKind::Map:
      case ExprKind::Struct: change_entries(*e); break;
      case ExprKind::Select: change_field(*e, parent); break;
      case ExprKind::Ident: change_name(*e); break;
      default: break;
    }
    walk(e->target, e);
    for (Expr*& arg : e->args) walk(arg, e);
    for (Entry& entry : e->entries) {
      walk(entry.key, e);
      walk(entry.value, e);
    }
  }

  void change_call(Expr*& slot, bool negated_already) {
    Expr& e = *slot;
    if (is_logical(e)) return change_logic(slot);
    if (e.is_call(op::kLogicalNot, 1)) {
      offer(slot, e.args[0], "negation", "no case tells " + code(text_of(&e)) + " from its opposite");
    } else if (e.is_call(op::kConditional, 3)) {
      const std::string hint = "no case tells the branches of " + code(text_of(&e)) + " apart";
      offer(slot, e.args[1], "conditional", hint);
      offer(slot, e.args[2], "conditional", hint);
    } else if (e.is_call("has", 1) && e.target == nullptr && !negated_already) {
      offer(slot, negated(&e), "negation",
            "no case tells an object with " + code(text_of(e.args[0])) + " from one without");
    } else if (e.is_call(op::kIn, 2) && !negated_already) {
      offer(slot, negated(&e), "comparison", "no case tells " + code(text_of(&e)) + " from its opposite");
    }
    change_relation(e);
    rename(e, exchanged(kArithmetic, e.name), "arithmetic", "no case depends on " + code(text_of(&e)));
    if (e.target == nullptr || e.args.empty()) return;
    if (e.args.size() >= 2) change_quantifier(e);
    rename(e, exchanged(kMethods, e.name), "function",
           "no case tells " + code(e.name) + " from " + code(exchanged(kMethods, e.name)));
  }

  void change_relation(Expr& e) {
    if (e.args.size() != 2 || e.target != nullptr) return;
    for (const auto& r : kRelations) {
      if (e.name != r.from) continue;
      rename(e, r.nearby, "comparison",
             "no case has " + code(text_of(e.args[0])) + " equal to " + code(text_of(e.args[1])));
      rename(e, r.opposite, "comparison", "no case tells " + code(text_of(&e)) + " from its opposite");
      return;
    }
  }

  void change_quantifier(Expr& e) {
    const bool one = e.name != "all" && e.name != "exists";
    rename(e, exchanged(kQuantifiers, e.name), "quantifier",
           "no case has a list " + code(text_of(e.target)) +
               (one ? " in which more than one element satisfies "
                    : " in which some elements, but not all, satisfy ") +
               code(text_of(e.args.back())));
  }

  void change_logic(Expr*& slot) {
    Expr& e = *slot;
    const bool is_and = e.name == op::kLogicalAnd;
    rename(e, is_and ? op::kLogicalOr : op::kLogicalAnd, "logic",
           "no case has " + code(text_of(e.args[0])) + " and " + code(text_of(e.args[1])) + " differ");
    // Of a chain only single operands are left out.
    for (size_t i : {0, 1}) {
      const Expr& dropped = *e.args[i];
      if (dropped.kind == ExprKind::Call && dropped.name == e.name) continue;
      offer(slot, e.args[1 - i], is_guard(dropped) ? "guard" : "operand", dropped_hint(dropped, is_and));
    }
  }

  static bool is_guard(const Expr& e) {
    const Expr& inner = e.is_call(op::kLogicalNot, 1) ? *e.args[0] : e;
    return inner.is_call("has", 1) && inner.target == nullptr;
  }

  std::string dropped_hint(const Expr& dropped, bool is_and) const {
    const bool negation = dropped.is_call(op::kLogicalNot, 1);
    if (is_guard(dropped)) {
      const Expr* field = (negation ? dropped.args[0] : &dropped)->args[0];
      // `has(x) &&` and `!has(x) ||` matter without x, the other two with it.
      const bool without = is_and != negation;
      return std::string("no case depends on an object with") + (without ? "out " : " ") +
             code(text_of(field));
    }
    return "no case is decided by " + code(text_of(&dropped)) + " alone";
  }

  void change_literal(Expr*& slot, const Expr* parent) {
    const Expr& e = *slot;
    auto tell = [&](Expr* other) {
      return "no case tells " + code(text_of(&e)) + " from " + code(text_of(other));
    };
    auto exchange = [&](Literal value, std::string_view sort) {
      Expr* other = literal(std::move(value));
      offer(slot, other, sort, tell(other));
    };
    if (const auto* i = std::get_if<int64_t>(&e.literal)) {
      if (*i < std::numeric_limits<int64_t>::max()) exchange(*i + 1, "integer");
      if (*i > std::numeric_limits<int64_t>::min()) exchange(*i - 1, "integer");
    } else if (const auto* u = std::get_if<uint64_t>(&e.literal)) {
      if (*u < std::numeric_limits<uint64_t>::max()) exchange(*u + 1, "integer");
      if (*u > 0) exchange(*u - 1, "integer");
    } else if (const auto* d = std::get_if<double>(&e.literal)) {
      exchange(*d + 1, "number");
    } else if (const auto* b = std::get_if<bool>(&e.literal)) {
      exchange(!*b, "boolean");
    } else if (const auto* s = std::get_if<std::string>(&e.literal);
               s != nullptr && texts_ && !is_field(parent, &e)) {
      exchange(s->empty() ? std::string("x") : std::string(), "text");
    }
  }
  // Whether the literal is the name in `a.?name`.
  static bool is_field(const Expr* parent, const Expr* e) {
    return parent != nullptr && parent->is_call(op::kOptSelect, 2) && parent->args[1] == e;
  }

  void change_list(Expr& e) {
    if (!e.optional_indices.empty() || e.args.size() < 2) return;
    const std::vector<Expr*> all = e.args;
    for (size_t i = 0; i < all.size(); i++) {
      auto drop = [&] { e.args.erase(e.args.begin() + static_cast<ptrdiff_t>(i)); };
      offer(
          e, {}, drop, [&] { e.args = all; }, "element",
          "no case depends on the element " + code(text_of(all[i])));
    }
  }

  void change_entries(Expr& e) {
    for (size_t i = 0; i < e.entries.size(); i++) {
      const std::vector<Entry> all = e.entries;
      const std::string name = e.entries[i].key == nullptr ? e.entries[i].field : text_of(e.entries[i].key);
      auto drop = [&] { e.entries.erase(e.entries.begin() + static_cast<ptrdiff_t>(i)); };
      offer(e, {}, drop, [&] { e.entries = all; }, "element", "no case depends on the field " + code(name));
    }
  }

  // Only the last field of a path; in calls like f.g(x) there is none.
  void change_field(Expr& e, const Expr* parent) {
    if (parent != nullptr && parent->kind == ExprKind::Select) return;
    if (e.target == nullptr) return;
    const std::string wrong = wrong_field(e);
    if (wrong.empty()) return;
    const std::string before = text_of(&e);
    rename(e, wrong, "field",
           "no case tells " + code(before) + " from " + code(text_of(e.target) + "." + wrong));
  }

  // Policies that compare the object with the old one may take one for the other.
  void change_name(Expr& e) {
    const std::string_view other = e.name == "object" ? "oldObject" : e.name == "oldObject" ? "object" : "";
    if (other.empty() || !fields_.contains(std::string(other))) return;
    rename(e, other, "field", "no case tells `object` from `oldObject` here");
  }

  // A field that the policy reads beside this one, or one that is often taken for it.
  std::string wrong_field(const Expr& e) const {
    auto read = fields_.find(text_of(e.target));
    if (read != fields_.end()) {
      auto after = read->second.upper_bound(e.name);
      if (after == read->second.end()) after = read->second.begin();
      if (*after != e.name) return *after;
    }
    return std::string(exchanged(kSiblings, e.name));
  }

  const Source source_;
  const FieldsRead& fields_;
  const bool texts_;
  Parsed parsed_;
  Ast& ast_;
  std::string original_;
  std::set<std::string> known_;  // printed texts of changes so far, and of the original
  std::vector<ExpressionChange> out_;
};

void note(const Ast& ast, const Expr* e, FieldsRead& fields) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::Select) fields[printed(ast, e->target)].insert(e->name);
  note(ast, e->target, fields);
  for (const Expr* arg : e->args) note(ast, arg, fields);
  for (const Entry& entry : e->entries) {
    note(ast, entry.key, fields);
    note(ast, entry.value, fields);
  }
}

}  // namespace

void note_fields(std::string_view text, FieldsRead& fields) {
  const Parsed parsed = parse(Source(text), kAsWritten);
  if (parsed.ok()) note(parsed.ast, parsed.ast.root, fields);
}

std::vector<ExpressionChange> expression_changes(std::string_view text, const FieldsRead& fields,
                                                 bool texts) {
  return Changer(text, fields, texts).list();
}

}  // namespace portcullis
