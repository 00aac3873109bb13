// See validate.h.
#include "typecheck/validate.h"

#include <algorithm>
#include <string>

#include "typecheck/check.h"
#include "typecheck/format_check.h"
#include "typecheck/type.h"

namespace portcullis {

namespace {

// Visits the children of a node before the node, as cel-go's MatchDescendants does.
template <class F>
void visit(const Expr& e, const F& f) {
  for_each_child(e, [&](const Expr& child) { visit(child, f); });
  f(&e);
}

class Validation {
 public:
  Validation(const Ast& ast, const std::vector<const Validator*>& validators, Diagnostics& diagnostics)
      : ast_(ast), diagnostics_(diagnostics) {
    for (const Validator* v : validators) {
      if (v->kind == ValidatorKind::Exemption) exempt_.push_back(v->function);
      if (v->kind == ValidatorKind::Format || v->kind == ValidatorKind::FormatV4) exempt_.push_back("format");
    }
  }

  void run(const Validator& v) {
    switch (v.kind) {
      case ValidatorKind::LiteralArgument:
        visit(*ast_.root, [&](const Expr* e) { check_literal_argument(v, e); });
        break;
      case ValidatorKind::Homogeneous:
        check_homogeneous(*ast_.root, ExprKind::List, false);
        check_homogeneous(*ast_.root, ExprKind::Map, false);
        break;
      case ValidatorKind::Format:
      case ValidatorKind::FormatV4: visit(*ast_.root, [&](const Expr* e) { check_format(v, e); }); break;
      case ValidatorKind::Exemption: break;
    }
  }

 private:
  void check_literal_argument(const Validator& v, const Expr* e) {
    if (e->kind != ExprKind::Call || e->name != v.function || e->args.size() <= v.argument) return;
    const Expr* literal = e->args[v.argument];
    if (literal->kind != ExprKind::Literal || !v.valid) return;
    std::string detail;
    if (v.valid(literal->literal, detail)) return;
    std::string message = "invalid " + std::string(v.function) + " argument";
    if (!detail.empty()) message += ": " + detail;
    report(literal->id, std::move(message));
  }

  // Reports lists before maps, and children before their parents, as cel-go does.
  void check_homogeneous(const Expr& e, ExprKind kind, bool exempt) {
    bool inside = exempt || (e.kind == ExprKind::Call &&
                             std::find(exempt_.begin(), exempt_.end(), e.name) != exempt_.end());
    for_each_child(e, [&](const Expr& child) { check_homogeneous(child, kind, inside); });
    if (exempt || e.kind != kind) return;
    kind == ExprKind::List ? check_elements(&e) : check_entries(&e);
  }

  // The type of an element without the optional around it, if the element is written `?e`.
  static const Type* content(const Expr* e, bool optional) {
    return optional && !e->type->params().empty() ? e->type->param(0) : e->type;
  }

  void check_elements(const Expr* list) {
    const Type* first = nullptr;
    for (size_t i = 0; i < list->args.size(); ++i) {
      const auto& optional = list->optional_indices;
      bool is_optional =
          std::find(optional.begin(), optional.end(), static_cast<int32_t>(i)) != optional.end();
      const Type* t = content(list->args[i], is_optional);
      if (!first) {
        first = t;
      } else if (!equivalent_types(first, t)) {
        return report(list->args[i]->id, type_mismatch(first, t));
      }
    }
  }

  void check_entries(const Expr* map) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (const Entry& entry : map->entries) {
      const Type* t = content(entry.value, entry.optional);
      if (!key) {
        key = entry.key->type;
        value = t;
        continue;
      }
      if (!equivalent_types(key, entry.key->type)) report(entry.key->id, type_mismatch(key, entry.key->type));
      if (!equivalent_types(value, t)) report(entry.value->id, type_mismatch(value, t));
    }
  }

  void check_format(const Validator& v, const Expr* e) {
    if (e->kind != ExprKind::Call || !e->target || e->name != "format" || e->args.size() != 1) return;
    const auto* format =
        e->target->kind == ExprKind::Literal ? std::get_if<std::string>(&e->target->literal) : nullptr;
    if (!format || e->args[0]->kind != ExprKind::List || !may_be_string_format(e)) return;
    FormatProblem problem =
        check_format_call(*format, e->args[0]->args, v.kind == ValidatorKind::FormatV4, v.argument);
    if (!problem.message.empty()) report(problem.at ? problem.at->id : e->id, std::move(problem.message));
  }

  static bool may_be_string_format(const Expr* e) {
    if (!e->reference || e->reference->overloads.empty()) return true;
    const auto& overloads = e->reference->overloads;
    return std::any_of(overloads.begin(), overloads.end(),
                       [](const Overload* o) { return o->id == "string_format"; });
  }

  void report(ExprId id, std::string message) {
    diagnostics_.report(ast_.span(id).start, std::move(message), id);
  }

  const Ast& ast_;
  Diagnostics& diagnostics_;
  std::vector<std::string_view> exempt_;
};

}  // namespace

void validate(const Ast& ast, const std::vector<const Validator*>& validators, Diagnostics& diagnostics) {
  if (validators.empty()) return;
  Validation validation(ast, validators, diagnostics);
  for (const Validator* v : validators) validation.run(*v);
}

}  // namespace portcullis
