// See failing.h.
#include "cli/mutants/failing.h"

#include <set>
#include <string>

#include "grammar/parse.h"

namespace portcullis {
namespace {

namespace op = operators;

// Calls that give a value if their arguments have the types that their uses give them.
const std::set<std::string_view> kSafe = {
    op::kLogicalAnd, op::kLogicalOr, op::kLogicalNot, op::kConditional, op::kEquals,  op::kNotEquals,
    op::kIn,         op::kOptSelect, op::kOptIndex,   op::kAdd,         "all",        "exists",
    "filter",        "map",          "size",          "join",           "startsWith", "endsWith",
    "contains",      "lowerAscii",   "upperAscii",    "trim",           "orValue",    "hasValue",
    "has",           "string"};

// What every object has, and every request.
const std::set<std::string, std::less<>> kPresent = {
    "object.metadata",           "object.kind",       "object.apiVersion",
    "request.operation",         "request.namespace", "request.userInfo",
    "request.userInfo.username", "request.kind",      "request.resource"};

class Look {
 public:
  explicit Look(bool has_object) : has_object_(has_object) {}

  bool safe(const Expr* e) const {
    if (e == nullptr) return true;
    switch (e->kind) {
      case ExprKind::Literal:
      case ExprKind::Ident: return true;
      case ExprKind::Select: return safe_path(*e);
      case ExprKind::Call: return safe_call(*e);
      case ExprKind::List: return safe_all(*e);
      case ExprKind::Map:
      case ExprKind::Struct: return safe_entries(*e);
      default: return false;
    }
  }

 private:
  bool safe_all(const Expr& e) const {
    for (const Expr* arg : e.args) {
      if (!safe(arg)) return false;
    }
    return safe(e.target);
  }

  bool safe_entries(const Expr& e) const {
    for (const Entry& entry : e.entries) {
      if (entry.optional || !safe(entry.key) || !safe(entry.value)) return false;
    }
    return true;
  }

  bool safe_call(const Expr& e) const {
    if (!kSafe.contains(e.name)) return false;
    if (e.name != "has" || e.args.size() != 1) return safe_all(e);
    return e.args[0]->kind == ExprKind::Select && safe(e.args[0]->target);  // the last field may be missing
  }

  static std::string path(const Expr* e) {
    if (e->kind == ExprKind::Ident) return e->name;
    return e->kind == ExprKind::Select ? path(e->target) + "." + e->name : "?";
  }

  // The variables of the policy are looked at by themselves.
  bool safe_path(const Expr& e) const {
    const std::string whole = path(&e);
    if (whole.starts_with("variables.")) return whole.find('.', 10) == whole.npos;
    return kPresent.contains(whole) && (has_object_ || !whole.starts_with("object."));
  }

  const bool has_object_;
};

}  // namespace

bool may_fail(std::string_view expression, bool has_object) {
  const Parsed parsed = parse(Source(expression), {.macros = nullptr, .optional_syntax = true});
  return !parsed.ok() || !Look(has_object).safe(parsed.ast.root);
}

}  // namespace portcullis
