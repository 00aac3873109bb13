#include "admission/patching/kind_conditions.h"

#include <algorithm>

#include "admission/ownership/compare.h"

namespace portcullis::patching {
namespace {

// The steps of `object.a.b`, `object.a.?b`, `object['a']`, the last one first; false for another expression.
bool object_path(const Expr* e, std::vector<std::string_view>& out) {
  while (e != nullptr) {
    if (e->kind == ExprKind::Ident) return e->name == "object";
    if (e->kind == ExprKind::Select) {
      out.push_back(e->name);
      e = e->target;
      continue;
    }
    bool index = e->is_call(operators::kIndex, 2) || e->is_call(operators::kOptIndex, 2) ||
                 e->is_call(operators::kOptSelect, 2);
    const std::string* key = index && e->args[1]->kind == ExprKind::Literal
                                 ? std::get_if<std::string>(&e->args[1]->literal)
                                 : nullptr;
    if (key == nullptr) return false;
    out.push_back(*key);
    e = e->args[0];
  }
  return false;
}

}  // namespace

const Expr* KindConditions::variable(const Expr& e) const {
  bool selects = e.kind == ExprKind::Select && !e.test_only && is_ident(e.target, "variables");
  auto found = selects ? variables_.find(e.name) : variables_.end();
  return found == variables_.end() ? nullptr : found->second.expression->ast().root;
}

std::optional<bool> KindConditions::decide(const Expr& e, int depth) {
  if (depth > kMostVariableDepth) return std::nullopt;
  if (e.kind == ExprKind::Literal) {
    const bool* held = std::get_if<bool>(&e.literal);
    return held != nullptr ? std::optional(*held) : std::nullopt;
  }
  if (const Expr* v = variable(e)) return decide_variable(*v, depth + 1);
  if (e.kind == ExprKind::Select && e.test_only) return has(e);
  if (e.kind != ExprKind::Call) return std::nullopt;
  if (e.name == operators::kLogicalNot && e.args.size() == 1) {
    std::optional<bool> inner = decide(*e.args[0], depth + 1);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  bool conjunction = e.name == operators::kLogicalAnd;
  if (conjunction || e.name == operators::kLogicalOr) {
    bool all = true;
    for (const Expr* arg : e.args) {
      std::optional<bool> part = decide(*arg, depth + 1);
      if (part && *part != conjunction) return !conjunction;
      all &= part.has_value();
    }
    return all ? std::optional(conjunction) : std::nullopt;
  }
  if (e.is_call(operators::kEquals, 2)) return equal(*e.args[0], *e.args[1], depth);
  if (e.is_call(operators::kNotEquals, 2)) {
    std::optional<bool> same = equal(*e.args[0], *e.args[1], depth);
    return same ? std::optional(!*same) : std::nullopt;
  }
  if (e.is_call(operators::kIn, 2) && e.args[1]->kind == ExprKind::List) {
    bool all = true;
    for (const Expr* item : e.args[1]->args) {
      std::optional<bool> same = equal(*e.args[0], *item, depth);
      if (same && *same) return true;
      all &= same.has_value();
    }
    return all ? std::optional(false) : std::nullopt;
  }
  if (e.is_call("hasValue", 0) && e.target != nullptr) return has(*e.target);
  return std::nullopt;
}

// Once each: variables may name others several times.
std::optional<bool> KindConditions::decide_variable(const Expr& root, int depth) {
  auto known = decided_.find(&root);
  if (known != decided_.end()) return known->second;
  std::optional<bool> made = decide(root, depth);
  return decided_[&root] = made;
}

std::optional<bool> KindConditions::equal(const Expr& a, const Expr& b, int depth) {
  std::optional<std::string_view> left = text(a, depth), right = text(b, depth);
  return left && right ? std::optional(*left == *right) : std::nullopt;
}

std::optional<std::string_view> KindConditions::text(const Expr& e, int depth) {
  auto known = [](std::string_view t) { return t.empty() ? std::nullopt : std::optional(t); };
  if (e.kind == ExprKind::Literal) {
    const std::string* s = std::get_if<std::string>(&e.literal);
    return s != nullptr ? std::optional<std::string_view>(*s) : std::nullopt;
  }
  if (depth > kMostVariableDepth || e.kind != ExprKind::Select || e.test_only) return std::nullopt;
  if (const Expr* v = variable(e)) return text(*v, depth + 1);
  const Expr* from = e.target;
  if (e.name == "kind" && is_ident(from, "object")) return known(facts_.kind);
  bool request = from->kind == ExprKind::Select && is_ident(from->target, "request");
  if (request && e.name == "kind" && from->name == "kind") return known(facts_.kind);
  if (request && e.name == "resource" && from->name == "resource") return known(facts_.resource);
  return std::nullopt;
}

// A field that the schema lacks is absent; a field that it has may be present or absent.
std::optional<bool> KindConditions::has(const Expr& path) const {
  std::vector<std::string_view> names;
  if (facts_.type == nullptr || !object_path(&path, names)) return std::nullopt;
  const ownership::MergeType* at = facts_.type;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (at->form != ownership::Form::Map) return std::nullopt;
    at = ownership::entry_type(*at, Value::string(*name));
    if (at == nullptr) return false;
  }
  return std::nullopt;
}

}  // namespace portcullis::patching
