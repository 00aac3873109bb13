#include "grammar/build.h"

#include <utility>

namespace portcullis {

ExprId Builder::next_id(Span at) {
  if (at.start == kNoOffset) at = {-1, -1};
  return ast_.next_id(at);
}

Expr* Builder::named(ExprKind kind, ExprId id, std::string_view name) {
  Expr* out = node(kind, id);
  out->name = name;
  return out;
}

Expr* Builder::error(Span at, std::string message) {
  const ExprId id = next_id(at);
  diagnostics_.report(at.start, std::move(message), id);
  return node(ExprKind::Unspecified, id);
}

// --- Macros ---

Expr* Builder::call_or_macro(ExprId id, std::string_view function, Expr* target, std::vector<Expr*> args) {
  const Macro* macro =
      options_.macros ? options_.macros->find(function, args.size(), target != nullptr) : nullptr;
  if (macro) {
    if (Expr* expanded = expand(*macro, id, target, args)) return expanded;
  }
  Expr* out = named(ExprKind::Call, id, function);
  out->target = target;
  out->args = std::move(args);
  return out;
}

Expr* Builder::expand(const Macro& macro, ExprId id, Expr* target, std::span<Expr* const> args) {
  macro_call_ = id;
  failure_.reset();
  Expr* out = macro.expand(*this, target, args);
  if (failure_) {
    ast_.release_id(id);
    return error({failure_->offset, failure_->offset}, std::move(failure_->message));
  }
  if (!out) return nullptr;
  if (options_.record_macro_calls) record_macro_call(out->id, macro.name, target, args);
  ast_.release_id(id);
  return out;
}

void Builder::record_macro_call(ExprId id, std::string_view function, const Expr* target,
                                std::span<Expr* const> args) {
  Expr* call = named(ExprKind::Call, 0, function);
  for (const Expr* arg : args) call->args.push_back(as_written(arg));
  if (target) call->target = as_written(target);
  ast_.macro_calls[id] = call;
}

// A copy with the same ids, in which an expanded macro is only a node with its id. Like cel-go's it descends
// into calls and lists only: maps and structs are shared with the tree.
Expr* Builder::as_written(const Expr* expr) {
  if (ast_.macro_calls.contains(expr->id)) return node(ExprKind::Unspecified, expr->id);
  if (expr->kind != ExprKind::Call && expr->kind != ExprKind::List) return const_cast<Expr*>(expr);
  Expr* out = copy_shape(expr, expr->id);
  for (Expr*& arg : out->args) arg = as_written(arg);
  if (out->target) out->target = as_written(out->target);
  return out;
}

ExprId Builder::macro_id() {
  const Span call = ast_.span(macro_call_);
  return next_id({call.start, call.start});
}

// --- Expansion ---

Expr* Builder::literal(Literal value) {
  Expr* out = node(ExprKind::Literal, macro_id());
  out->literal = std::move(value);
  return out;
}

Expr* Builder::list(std::vector<Expr*> elements) {
  Expr* out = node(ExprKind::List, macro_id());
  out->args = std::move(elements);
  return out;
}

Expr* Builder::call(std::string_view function, std::vector<Expr*> args) {
  return member_call(function, nullptr, std::move(args));
}

Expr* Builder::member_call(std::string_view function, Expr* target, std::vector<Expr*> args) {
  Expr* out = named(ExprKind::Call, macro_id(), function);
  out->target = target;
  out->args = std::move(args);
  return out;
}

Expr* Builder::select(Expr* operand, std::string_view field) {
  Expr* out = named(ExprKind::Select, macro_id(), field);
  out->target = operand;
  return out;
}

Expr* Builder::presence_test(Expr* operand, std::string_view field) {
  Expr* out = select(operand, field);
  out->test_only = true;
  return out;
}

Expr* Builder::comprehension(Comprehension fold) {
  Expr* out = node(ExprKind::Comprehension, macro_id());
  out->fold = std::make_unique<Comprehension>(std::move(fold));
  return out;
}

std::string_view Builder::accumulator_name() const {
  return options_.hidden_accumulator ? kAccumulator : kLegacyAccumulator;
}

Expr* Builder::fail(const Expr* at, std::string message) {
  failure_ = Failure{ast_.span(at->id).start, std::move(message)};
  return nullptr;
}

// A node with the kind, content and children of `expr`, and another id.
Expr* Builder::copy_shape(const Expr* expr, ExprId id) {
  Expr* out = node(expr->kind, id);
  out->test_only = expr->test_only;
  out->literal = expr->literal;
  out->name = expr->name;
  out->target = expr->target;
  out->args = expr->args;
  out->optional_indices = expr->optional_indices;
  out->entries = expr->entries;
  if (expr->fold) out->fold = std::make_unique<Comprehension>(*expr->fold);
  return out;
}

// Takes ids in cel-go's order: first the node, then its parts, the arguments before the receiver.
Expr* Builder::copy(const Expr* expr) {
  if (++copies_ > kMaxCopies) throw ExpansionTooLarge{};
  Span at = ast_.span(expr->id);
  if (at.start == kNoOffset) at = {0, 0};
  Expr* out = copy_shape(expr, next_id(at));
  if (out->kind == ExprKind::Select) out->target = copy(out->target);
  for (Expr*& arg : out->args) arg = copy(arg);
  if (out->kind == ExprKind::Call && out->target) out->target = copy(out->target);
  for (Entry& entry : out->entries) {
    entry.id = macro_id();
    if (entry.key) entry.key = copy(entry.key);
    entry.value = copy(entry.value);
  }
  if (out->fold) {
    Comprehension& fold = *out->fold;
    for (Expr** part : {&fold.range, &fold.accu_init, &fold.loop_condition, &fold.loop_step, &fold.result}) {
      *part = copy(*part);
    }
  }
  return out;
}

// --- Logic ---

Expr* Builder::logic(std::string_view function, std::span<Expr* const> terms, std::span<const ExprId> ops) {
  if (ops.empty()) return terms[0];
  if (!options_.variadic_logic) return balanced(function, terms, ops);
  Expr* out = named(ExprKind::Call, ops[0], function);
  out->args.assign(terms.begin(), terms.end());
  return out;
}

// Splits at the middle operator, so that the depth grows only with the logarithm of the number of terms.
Expr* Builder::balanced(std::string_view function, std::span<Expr* const> terms,
                        std::span<const ExprId> ops) {
  if (ops.empty()) return terms[0];
  const size_t middle = ops.size() / 2;
  Expr* left = balanced(function, terms.first(middle + 1), ops.first(middle));
  Expr* right = balanced(function, terms.subspan(middle + 1), ops.subspan(middle + 1));
  Expr* out = named(ExprKind::Call, ops[middle], function);
  out->args = {left, right};
  return out;
}

}  // namespace portcullis
