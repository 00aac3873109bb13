#include "admission/patching/outline.h"

#include <algorithm>

#include "grammar/ascii.h"
#include "grammar/unparse.h"

namespace portcullis::patching {
namespace {

using Sort = Outline::Sort;

constexpr Limits kConstantLimits{
    .cost_limit = 1'000'000, .max_memory = size_t{64} << 20, .max_steps = 1'000'000};

// Whether the expression is NAME.FIELD.
bool is_field(const Expr* e, std::string_view name, std::string_view field) {
  return e != nullptr && e->kind == ExprKind::Select && !e->test_only && e->name == field &&
         is_ident(e->target, name);
}

bool is_bool(const Expr* e, bool value) {
  const bool* held = e->kind == ExprKind::Literal ? std::get_if<bool>(&e->literal) : nullptr;
  return held != nullptr && *held == value;
}

// The element that a step of a list comprehension appends: accu + [element]; null for another step.
const Expr* added(const Comprehension& fold, const Expr& step) {
  bool adds = step.is_call(operators::kAdd, 2) && is_ident(step.args[0], fold.accu_var);
  const Expr* list = adds ? step.args[1] : nullptr;
  return list != nullptr && list->kind == ExprKind::List && list->args.size() == 1 ? list->args[0] : nullptr;
}

// Where the name begins that ends in front of a '{' or ':'.
int32_t name_start(const std::u32string& runes, int32_t end) {
  auto at = static_cast<size_t>(end);
  if (at >= runes.size()) return end;
  auto space = [&](char32_t c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (at > 0 && space(runes[at - 1])) --at;
  if (at > 0 && runes[at - 1] == '`') {
    size_t open = runes.rfind(U'`', at - 2);
    return static_cast<int32_t>(at < 2 || open == runes.npos ? at - 1 : open);
  }
  auto part = [&](char32_t c) { return c == '_' || c == '.' || is_alphanumeric(c); };
  while (at > 0 && part(runes[at - 1])) --at;
  return static_cast<int32_t>(at);
}

}  // namespace

// --- reading

const Outline& settled(const Outline& outline, const Selection& selection, bool* guarded) {
  const Outline* at = &outline;
  while (at->sort == Sort::Choice) {
    auto taken = selection.find(at->condition);
    at = at->items[taken == selection.end() ? 0 : taken->second];
    if (guarded != nullptr) *guarded = true;
  }
  return *at;
}

namespace {

void add_items(const Outline& list, const Selection& selection, OutlinedItem as, OutlinedItems& out) {
  const Outline& o = settled(list, selection, &as.guarded);
  if (o.sort == Sort::List) {
    for (const Outline* item : o.items) {
      OutlinedItem made = as;
      made.outline = &settled(*item, selection, &made.guarded);
      out.items.push_back(made);
    }
    out.open |= o.open;
  } else if (o.sort == Sort::Concat) {
    for (const Outline* part : o.items) add_items(*part, selection, as, out);
  } else if (o.sort == Sort::Filtered) {
    as.filtered = as.guarded = true;
    add_items(*o.items[0], selection, as, out);
  } else if (o.sort == Sort::Constant && o.constant.is(Kind::List)) {
    out.open |= o.constant.size() != 0;
  } else {
    out.open = true;
  }
}

class Selections {
 public:
  std::vector<Selection> all = {{}};

  void visit(const Outline& o, const Selection& way) {
    if (all.size() >= kMostSelections || ++steps_ > kMostOutlines) return;
    for (const Outline::Member& m : o.members) visit(*m.value, way);
    if (o.sort != Sort::Choice) {
      for (const Outline* item : o.items) visit(*item, way);
      return;
    }
    auto taken = way.find(o.condition);
    for (size_t i = 0; i < o.items.size(); ++i) {
      if (taken != way.end()) {
        if (taken->second == i) visit(*o.items[i], way);
        continue;
      }
      Selection next = way;
      next[o.condition] = i;
      if (i != 0 && all.size() < kMostSelections) all.push_back(next);
      visit(*o.items[i], next);
    }
  }

 private:
  size_t steps_ = 0;
};

}  // namespace

std::vector<Selection> selections_of(const Outline& outline) {
  Selections selections;
  selections.visit(outline, {});
  return std::move(selections.all);
}

OutlinedItems items_of(const Outline& list, const Selection& selection) {
  OutlinedItems out;
  add_items(list, selection, {}, out);
  return out;
}

// --- making

ExpressionPoint Outliner::point(const Expr& e, const Here& here) const {
  const Ast& ast = here.source->expression->ast();
  int32_t first = ast.span(e.id).start;
  // The position of an operator is after its first operand.
  for (const Expr* at = &e; at != nullptr;) {
    int32_t start = ast.span(at->id).start;
    if (start >= 0 && (first < 0 || start < first)) first = start;
    at = at->target != nullptr                                                        ? at->target
         : at->kind == ExprKind::Call && at->name.find('_') == 0 && !at->args.empty() ? at->args[0]
                                                                                      : nullptr;
  }
  // The position of a struct literal is its brace, that of a call its parenthesis.
  bool named = e.kind == ExprKind::Struct ||
               (e.kind == ExprKind::Call && e.target == nullptr && e.name.find('_') != 0);
  if (named && first > 0) first = name_start(here.source->runes(), first);
  return {here.source, std::max(first, 0)};
}

// The name of an entry ends before its colon.
ExpressionPoint Outliner::name_point(const Entry& entry, const Here& here) const {
  const int32_t colon = here.source->expression->ast().span(entry.id).start;
  if (colon < 0) return {here.source, 0};
  if (entry.key != nullptr) return point(*entry.key, here);
  return {here.source, name_start(here.source->runes(), colon)};
}

Outline& Outliner::make(Sort sort, const Expr& e, const Here& here) {
  Outline& o = outlines_.emplace_back();
  o.sort = sort;
  o.expr = &e;
  met_.insert(&e);
  o.place = point(e, here);
  return o;
}

const Outline& Outliner::of(const KnownExpression& expression) {
  return walk(*expression.expression->ast().root, {&expression, nullptr, 0});
}

const Outline& Outliner::walk(const Expr& e, const Here& here) {
  if (outlines_.size() >= kMostOutlines) return make(Sort::Unknown, e, here);
  switch (e.kind) {
    case ExprKind::Literal: return literal(e, here);
    case ExprKind::Ident: return name(e, here);
    case ExprKind::Select: return select(e, here);
    case ExprKind::Call: return call(e, here);
    case ExprKind::Struct: return structure(e, here);
    case ExprKind::Map: return map(e, here);
    case ExprKind::Comprehension: return fold(e, here);
    case ExprKind::List: {
      Outline& list = make(Sort::List, e, here);
      for (size_t i = 0; i < e.args.size(); ++i) {
        const Outline& item = walk(*e.args[i], here);
        bool optional =
            std::ranges::find(e.optional_indices, static_cast<int32_t>(i)) != e.optional_indices.end();
        if (!optional) {
          list.items.push_back(&item);
        } else if (item.sort == Sort::Optional) {
          list.items.push_back(item.items[0]);
        } else {
          list.open = true;
        }
      }
      return list;
    }
    case ExprKind::Unspecified: break;
  }
  return make(Sort::Unknown, e, here);
}

const Outline& Outliner::literal(const Expr& e, const Here& here) {
  Outline& o = make(Sort::Constant, e, here);
  struct {
    Arena& arena;
    Value operator()(std::monostate) const { return Value::null(); }
    Value operator()(bool b) const { return Value::boolean(b); }
    Value operator()(int64_t i) const { return Value::integer(i); }
    Value operator()(uint64_t u) const { return Value::uinteger(u); }
    Value operator()(double d) const { return Value::real(d); }
    Value operator()(const std::string& s) const { return Value::string(arena.copy(s)); }
    Value operator()(const BytesLiteral& b) const { return Value::bytes(arena.copy(b.data)); }
  } value{arena_};
  o.constant = std::visit(value, e.literal);
  return o;
}

const Outline& Outliner::name(const Expr& e, const Here& here) {
  for (const Locals* l = here.locals; l != nullptr; l = l->outer) {
    if (l->name == e.name) return l->value != nullptr ? *l->value : make(Sort::Unknown, e, here);
  }
  return make(Sort::Unknown, e, here);
}

const Outline& Outliner::select(const Expr& e, const Here& here) {
  const Expr* root = conditions_.variable(e);
  if (root == nullptr || here.depth >= kMostVariableDepth) return make(Sort::Unknown, e, here);
  const Outline& held = walk(*root, {&variables_.find(e.name)->second, nullptr, here.depth + 1});
  Outline& used = outlines_.emplace_back(held);
  // Mistakes in the value itself are reported where it is used, those in its parts where they are written.
  used.place = point(e, here);
  met_.insert(&e);
  return used;
}

const Outline& Outliner::conditional(const Expr& e, const Here& here) {
  if (std::optional<bool> known = conditions_.decide(*e.args[0])) return walk(*e.args[*known ? 1 : 2], here);
  Outline& choice = make(Sort::Choice, e, here);
  auto text = unparse(here.source->expression->ast(), e.args[0]);
  choice.condition = text.ok() ? *text : std::to_string(outlines_.size());
  choice.items = {&walk(*e.args[1], here), &walk(*e.args[2], here)};
  return choice;
}

const Outline& Outliner::call(const Expr& e, const Here& here) {
  if (e.is_call(operators::kConditional, 3)) return conditional(e, here);
  if (e.target == nullptr && e.args.size() == 1 && e.name == "dyn") return walk(*e.args[0], here);
  if (e.target == nullptr && e.args.size() == 1 && e.name == "optional.of") {
    const Outline& inner = walk(*e.args[0], here);
    Outline& o = make(Sort::Optional, e, here);
    o.items = {&inner};
    return o;
  }
  bool joined = e.is_call(operators::kAdd, 2) && e.type != nullptr &&
                (e.type->is(TypeKind::List) || e.type->is(TypeKind::String) || e.type->is_dyn());
  if (joined) {
    const Outline &a = walk(*e.args[0], here), &b = walk(*e.args[1], here);
    auto list = [](const Outline& o) {
      return o.sort == Sort::List || o.sort == Sort::Filtered ||
             (o.expr->type != nullptr && o.expr->type->is(TypeKind::List));
    };
    auto text = [](const Outline& o) {
      return (o.sort == Sort::Constant && o.constant.is(Kind::String)) ||
             (o.expr->type != nullptr && o.expr->type->is(TypeKind::String));
    };
    if (!list(a) && !list(b) && !text(a) && !text(b)) return make(Sort::Unknown, e, here);
    Outline& o = make(Sort::Concat, e, here);
    o.items = {&a, &b};
    return o.items[0]->sort == Sort::Constant && o.items[1]->sort == Sort::Constant ? evaluated(e, here, o)
                                                                                    : o;
  }
  Outline& unknown = make(Sort::Unknown, e, here);
  auto constant = [&](const Expr* arg) {
    Sort sort = walk(*arg, here).sort;
    return sort == Sort::Constant;
  };
  bool closed = (e.target == nullptr || constant(e.target)) && std::ranges::all_of(e.args, constant);
  return closed ? evaluated(e, here, unknown) : unknown;
}

// The value of a call with constant arguments; `unknown` if the call fails.
const Outline& Outliner::evaluated(const Expr& e, const Here& here, Outline& unknown) {
  const Expression& whole = *here.source->expression;
  auto text = unparse(whole.ast(), &e);
  // Locals that hold constants are not declared for the text.
  if (!text.ok() || here.locals != nullptr) return unknown;
  auto made = compile(*text, whole.environment());
  if (!made.ok()) return unknown;
  auto program = make_program(*made);
  if (!program.ok()) return unknown;
  Activation activation((*program)->paths());
  Outcome outcome = evaluate(**program, activation, context_, kConstantLimits);
  if (outcome.value.is_error() || outcome.cancelled || outcome.value.is(Kind::Unknown)) return unknown;
  programs_.push_back(*program);
  unknown.sort = Sort::Constant;
  unknown.items.clear();
  unknown.constant = outcome.value;
  return unknown;
}

const Outline& Outliner::structure(const Expr& e, const Here& here) {
  std::string_view name = e.type != nullptr ? std::string_view(e.type->name()) : e.name;
  bool patch = name == "JSONPatch", object = name == "Object" || name.starts_with("Object.");
  Outline& o = make(patch ? Sort::Patch : object ? Sort::Object : Sort::Unknown, e, here);
  if (o.sort == Sort::Unknown) return o;
  for (const Entry& entry : e.entries) {
    const Outline& value = walk(*entry.value, here);
    o.members.push_back({entry.field, &value, name_point(entry, here), entry.optional});
  }
  return o;
}

const Outline& Outliner::map(const Expr& e, const Here& here) {
  Outline& o = make(Sort::Map, e, here);
  for (const Entry& entry : e.entries) {
    const Outline& key = walk(*entry.key, here);
    const Outline& value = walk(*entry.value, here);
    if (key.sort == Sort::Constant && key.constant.is(Kind::String)) {
      o.members.push_back(
          {std::string(key.constant.as_text()), &value, name_point(entry, here), entry.optional});
    } else if (key.sort != Sort::Constant) {
      o.open = true;
    } else {
      return evaluated(e, here, make(Sort::Unknown, e, here));
    }
  }
  return o;
}

const Outline& Outliner::fold(const Expr& e, const Here& here) {
  const Comprehension& f = *e.fold;
  if (is_bool(f.loop_condition, false)) {  // cel.bind()
    Locals bound{here.locals, f.accu_var, &walk(*f.accu_init, here)};
    return walk(*f.result, {here.source, &bound, here.depth});
  }
  const Expr* step = f.loop_step;
  bool list =
      f.accu_init->kind == ExprKind::List && f.accu_init->args.empty() && is_ident(f.result, f.accu_var);
  bool conditional = list && step->is_call(operators::kConditional, 3) && is_ident(step->args[2], f.accu_var);
  const Expr* element = list ? added(f, conditional ? *step->args[1] : *step) : nullptr;
  if (element == nullptr) return make(Sort::Unknown, e, here);
  if (is_ident(element, f.iter_var) && f.iter_var2.empty()) {  // filter()
    const Outline& range = walk(*f.range, here);
    if (!conditional) return range;
    Outline& o = make(Sort::Filtered, e, here);
    o.items = {&range};
    return o;
  }
  Locals first{here.locals, f.iter_var, nullptr}, second{&first, f.iter_var2, nullptr};
  const Outline& item = walk(*element, {here.source, &second, here.depth});
  Outline& o = make(Sort::List, e, here);
  o.items = {&item};
  return o;
}

bool Outliner::is_go_map(const Outline& outline) const {
  const Expr* e = outline.expr;
  if (outline.sort != Sort::Unknown || e == nullptr) return false;
  if (facts_.config_maps && (is_field(e, "params", "data") || is_field(e, "params", "binaryData")))
    return true;
  const bool selects =
      e->kind == ExprKind::Select && !e->test_only && (e->name == "labels" || e->name == "annotations");
  return selects && (is_field(e->target, "namespaceObject", "metadata") ||
                     (facts_.config_maps && is_field(e->target, "params", "metadata")));
}

}  // namespace portcullis::patching
