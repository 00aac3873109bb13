// See check.h.
#include "typecheck/check.h"

#include <algorithm>
#include <utility>

#include "typecheck/unify.h"
#include "typecheck/validate.h"

namespace portcullis {

namespace {

// "a.b.c" for a chain of selects on an identifier; empty for other expressions and for presence tests.
std::string qualified_name(const Expr* e) {
  if (e->kind == ExprKind::Ident) return e->name;
  if (e->kind != ExprKind::Select || e->test_only) return {};
  std::string prefix = qualified_name(e->target);
  return prefix.empty() ? prefix : prefix + "." + e->name;
}

// The argument types in a "no matching overload" message: "(int, string)", "string.(int)".
std::string format_arguments(std::span<const Type* const> args, bool member) {
  std::string text;
  if (member) {
    text = format_type(args[0]) + ".";
    args = args.subspan(1);
  }
  text += "(";
  for (size_t i = 0; i < args.size(); ++i) text += (i ? ", " : "") + format_type(args[i]);
  return text + ")";
}

// The name of the message that makes the type; empty for types that are no messages.
std::string named_message(const Type* t) { return t->is(TypeKind::Struct) ? t->name() : well_known_name(t); }

// The type's name in "'x' is not a message type" (cel-go: DeclaredTypeName).
std::string declared_name(const Type* t) {
  return t->is(TypeKind::Wrapper) ? "wrapper(" + t->name() + ")" : t->name();
}

const Type* literal_type(const Literal& literal) {
  static const Type* const kTypes[] = {types::kNull,   types::kBool,   types::kInt,  types::kUint,
                                       types::kDouble, types::kString, types::kBytes};
  return kTypes[literal.index()];
}

class Checker {
 public:
  Checker(Ast& ast, const Environment& environment, Annotations& annotations)
      : ast_(ast),
        env_(environment),
        out_(annotations),
        pool_(annotations.types),
        types_(annotations.types),
        cross_numeric_(environment.options().cross_type_numeric_comparisons) {}

  Diagnostics run() {
    check(ast_.root);
    if (diagnostics_.empty()) settle(*ast_.root);
    return std::move(diagnostics_);
  }

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  void check(Expr* e) {
    switch (e->kind) {
      case ExprKind::Literal: e->type = literal_type(e->literal); break;
      case ExprKind::Ident: check_ident(e); break;
      case ExprKind::Select: check_select(e); break;
      case ExprKind::Call: check_call(e); break;
      case ExprKind::List: check_list(e); break;
      case ExprKind::Map: check_map(e); break;
      case ExprKind::Struct: check_struct(e); break;
      case ExprKind::Comprehension: check_comprehension(e); break;
      case ExprKind::Unspecified:
        e->type = types::kError;
        report(e->id, "unexpected unspecified type: expr");
        break;
    }
    refuse_deep_type(e);
  }

  void refuse_deep_type(Expr* e) {
    if (e->type->depth() <= kMaxTypeDepth) return;
    e->type = types::kError;
    if (!diagnostics_.empty()) return;  // what it is part of is too deep as well
    report(e->id,
           "the type of this expression is nested more than " + std::to_string(kMaxTypeDepth) + " deep");
  }

  // Names.

  Reference* refer(Expr* e, ReferenceKind kind, std::string name = {}) {
    Reference& reference = out_.references.emplace_back();
    reference.kind = kind;
    reference.name = std::move(name);
    e->reference = &reference;
    return &reference;
  }

  const Type* find_local(std::string_view name) const {
    if (name.starts_with('.')) name.remove_prefix(1);
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return local->type;
    }
    return nullptr;
  }

  // Resolves `name` outside of comprehensions and makes `e` its identifier. False if there is none. `hidden`:
  // a local variable of that name exists, so the full name gets a leading dot.
  bool resolve_global(Expr* e, std::string_view name, bool hidden) {
    for (std::string& candidate : env_.candidates(name)) {
      if (const Type* t = env_.find_variable(candidate)) {
        become_ident(e, ReferenceKind::Variable, t, (hidden ? "." : "") + candidate);
        return true;
      }
      if (const Type* t = env_.find_type_name(candidate)) {
        become_ident(e, ReferenceKind::TypeName, pool_.type_of(t), (hidden ? "." : "") + candidate)->type = t;
        return true;
      }
      if (const int64_t* value = env_.find_enum(candidate)) {
        become_ident(e, ReferenceKind::Constant, types::kInt, (hidden ? "." : "") + candidate)->constant =
            *value;
        return true;
      }
    }
    return false;
  }

  Reference* become_ident(Expr* e, ReferenceKind kind, const Type* type, std::string name) {
    e->kind = ExprKind::Ident;
    e->target = nullptr;
    e->name = name;
    e->type = type;
    return refer(e, kind, std::move(name));
  }

  void check_ident(Expr* e) {
    const Type* local = find_local(e->name);
    const bool dotted = e->name.starts_with('.');
    if (local && (!dotted || !env_.options().leading_dot_skips_locals)) {
      become_ident(e, ReferenceKind::Local, local, e->name.substr(dotted ? 1 : 0));
      return;
    }
    if (resolve_global(e, e->name, local != nullptr)) return;
    e->type = types::kError;
    report_undeclared(e, e->name);
  }

  void check_select(Expr* e) {
    // A qualified name comes first, the longest one. A local variable named like its first part hides it.
    std::string name = e->test_only ? std::string{} : qualified_name(e);
    if (!name.empty()) {
      std::string_view first = std::string_view(name).substr(0, name.find('.', 1));
      const Type* local = find_local(first);
      bool may_be_global = !local || (name.starts_with('.') && env_.options().leading_dot_skips_locals);
      if (may_be_global && resolve_global(e, name, local != nullptr)) return;
    }
    const Type* field = check_field(e, e->target, e->name, false);
    e->type = types_.apply(e->test_only ? types::kBool : field, false);
  }

  // The type of `operand`.`field`. Errors are reported at `e`.
  const Type* check_field(Expr* e, Expr* operand, std::string_view field, bool optional) {
    check(operand);
    const Type* target = types_.apply(operand->type, false);
    if (target->is_optional()) {
      optional = true;
      target = target->param(0);
    }
    const Type* result = types::kDyn;
    if (target->is(TypeKind::Map)) {
      result = target->param(1);
    } else if (target->is(TypeKind::Struct)) {
      const Type* found = find_field(e->id, target->name(), field);
      result = found ? found : types::kError;
    } else if (target->is(TypeKind::Param)) {
      types_.assign(types::kDyn, target);
    } else if (!target->is_dyn() && !target->is(TypeKind::Error)) {
      report(e->id, "type '" + format_type(target) + "' does not support field selection");
    }
    return optional ? pool_.optional(result) : result;
  }

  // The type of a field, or null after an error has been reported at node `id`.
  const Type* find_field(ExprId id, std::string_view struct_name, std::string_view field) {
    if (!env_.knows_struct(struct_name)) {
      report(id, "unexpected failed resolution of '" + std::string(struct_name) + "'");
      return nullptr;
    }
    const Type* found = env_.find_field(struct_name, field);
    if (!found) report(id, "undefined field '" + std::string(field) + "'");
    return found;
  }

  // Calls.

  const FunctionGroup* find_function(std::string_view name) const {
    for (const std::string& candidate : env_.candidates(name)) {
      if (const FunctionGroup* group = env_.find_function(candidate)) return group;
    }
    return nullptr;
  }

  void check_call(Expr* e) {
    if (e->name == operators::kOptSelect) return check_optional_select(e);
    for (Expr* arg : e->args) check(arg);
    if (!e->target) {
      const FunctionGroup* group = find_function(e->name);
      if (group) e->name = group->name;
      return resolve_or_report(e, group);
    }
    // `a.b.f(x)` calls the function `a.b.f` if it exists, else the member function f of `a.b`.
    std::string prefix = qualified_name(e->target);
    if (!prefix.empty()) {
      if (const FunctionGroup* group = find_function(prefix + "." + e->name)) {
        e->name = group->name;
        e->target = nullptr;
        return resolve_or_report(e, group);
      }
    }
    check(e->target);
    resolve_or_report(e, find_function(e->name));
  }

  void check_optional_select(Expr* e) {
    const std::string* field = e->args.size() == 2 && e->args[1]->kind == ExprKind::Literal
                                   ? std::get_if<std::string>(&e->args[1]->literal)
                                   : nullptr;
    if (!field || e->target) {
      // Only a tree that the parser did not make reaches this; the parser writes a literal.
      e->type = types::kError;
      report(e->id, "unsupported optional field selection: incorrect signature. argument count: " +
                        std::to_string(e->args.size()));
      return;
    }
    const Type* result = check_field(e, e->args[0], *field, true);
    e->args[1]->type = types::kString;
    e->type = types_.apply(result, false);
    Reference* reference = refer(e, ReferenceKind::Function);
    reference->group = env_.find_function(operators::kOptSelect);
    if (reference->group) reference->overloads = reference->group->overloads;
  }

  void resolve_or_report(Expr* e, const FunctionGroup* group) {
    e->type = types::kError;
    if (!group) return report_undeclared(e, e->name);
    std::vector<const Type*> args;
    if (e->target) args.push_back(e->target->type);
    for (const Expr* arg : e->args) args.push_back(arg->type);
    bool logical = group->name == operators::kLogicalAnd || group->name == operators::kLogicalOr;
    if (logical && !e->target) return resolve_logical(e, group);
    resolve(e, group, args);
  }

  // `&&` and `||` report each operand that is not bool.
  void resolve_logical(Expr* e, const FunctionGroup* group) {
    bool fine = true;
    for (const Expr* arg : e->args) {
      if (types_.assign(arg->type, types::kBool)) continue;
      report(arg->id, type_mismatch(types::kBool, arg->type));
      fine = false;
    }
    if (!fine) return;
    Reference* reference = refer(e, ReferenceKind::Function);
    reference->group = group;
    reference->overloads = {group->overloads.front()};
    e->type = types::kBool;
  }

  void resolve(Expr* e, const FunctionGroup* group, std::vector<const Type*>& args) {
    std::vector<const Overload*> found;
    const Type* result = nullptr;
    for (const Overload* overload : group->overloads) {
      if (overload->cross_numeric && !cross_numeric_) continue;
      if (overload->member != (e->target != nullptr)) continue;
      const Type* overload_result = match(*overload, args);
      if (!overload_result) continue;
      found.push_back(overload);
      if (!result) {
        result = overload_result;
      } else if (!result->is_dyn() && !same_type(overload_result, result)) {
        result = types::kDyn;
      }
    }
    if (!result) {
      for (const Type*& arg : args) arg = types_.apply(arg, true);
      report(e->id, "found no matching overload for '" + group->name + "' applied to '" +
                        format_arguments(args, e->target != nullptr) + "'");
      return;
    }
    Reference* reference = refer(e, ReferenceKind::Function);
    reference->group = group;
    reference->overloads = std::move(found);
    e->type = result;
  }

  // The result type of `overload` applied to `args`, or null if they do not fit. Variables of the overload
  // are made even if the number of arguments differs, because messages show the numbers of variables.
  const Type* match(const Overload& overload, std::span<const Type* const> args) {
    if (overload.type_params.empty()) {
      return types_.assign(args, overload.args) ? types_.apply(overload.result, false) : nullptr;
    }
    std::vector<const Type*> variables;
    for (size_t i = 0; i < overload.type_params.size(); ++i) variables.push_back(types_.fresh());
    if (args.size() != overload.args.size()) return nullptr;
    std::vector<const Type*> params;
    for (const Type* arg : overload.args)
      params.push_back(types_.instantiate(arg, overload.type_params, variables));
    if (!types_.assign(args, params)) return nullptr;
    return types_.apply(types_.instantiate(overload.result, overload.type_params, variables), false);
  }

  // Literals.

  // The type that an element written `?e` adds to the container.
  const Type* unwrap(const Expr* e) {
    if (e->type->is_optional()) return e->type->param(0);
    if (!e->type->is_dyn()) report(e->id, type_mismatch(pool_.optional(e->type), e->type));
    return e->type;
  }

  const Type* join(const Type* previous, const Type* current) {
    if (!previous) return current;
    return types_.assign(previous, current) ? Substitution::most_general(previous, current) : types::kDyn;
  }

  void check_list(Expr* e) {
    const Type* element = nullptr;
    for (size_t i = 0; i < e->args.size(); ++i) {
      check(e->args[i]);
      const auto& optional = e->optional_indices;
      bool is_optional =
          std::find(optional.begin(), optional.end(), static_cast<int32_t>(i)) != optional.end();
      element = join(element, is_optional ? unwrap(e->args[i]) : e->args[i]->type);
    }
    e->type = pool_.list(element ? element : types_.fresh());
  }

  void check_map(Expr* e) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (const Entry& entry : e->entries) {
      check(entry.key);
      key = join(key, entry.key->type);
      check(entry.value);
      value = join(value, entry.optional ? unwrap(entry.value) : entry.value->type);
    }
    if (!key) {
      key = types_.fresh();
      value = types_.fresh();
    }
    e->type = pool_.map(key, value);
  }

  void check_struct(Expr* e) {
    e->type = types::kError;
    const Type* made = nullptr;
    std::string written = e->name;
    for (std::string& candidate : env_.candidates(e->name)) {
      made = env_.find_type_name(candidate);
      e->name = std::move(candidate);
      if (made) break;
    }
    if (!made) return report_undeclared(e, written);
    refer(e, ReferenceKind::Struct, e->name)->type = made;
    std::string message = named_message(made);
    if (message.empty()) {
      message = e->name;
      report(e->id, "'" + declared_name(made) + "' is not a message type");
    } else {
      e->type = made;
    }
    for (const Entry& entry : e->entries) check_struct_field(entry, message);
  }

  void check_struct_field(const Entry& entry, std::string_view message) {
    check(entry.value);
    const Type* field = find_field(entry.id, message, entry.field);
    if (!field) field = types::kError;
    const Type* value = entry.optional ? unwrap(entry.value) : entry.value->type;
    if (types_.assign(field, value)) return;
    report(entry.id, "expected type of field '" + entry.field + "' is '" + format_type(field) +
                         "' but provided type is '" + format_type(value) + "'");
  }

  void check_comprehension(Expr* e) {
    Comprehension& fold = *e->fold;
    check(fold.range);
    check(fold.accu_init);
    const Type* range = types_.apply(fold.range->type, false);
    const Type* accu = fold.accu_init->type;
    size_t outside = locals_.size();
    locals_.push_back({fold.accu_var, accu});
    // cel-go's quirk: entering a scope turns the disabled overloads on, and leaving it does not turn them
    // off.
    cross_numeric_ = true;
    add_iteration_variables(fold, range);
    check(fold.loop_condition);
    require(fold.loop_condition, types::kBool);
    check(fold.loop_step);
    require(fold.loop_step, accu);
    locals_.resize(outside + 1);
    check(fold.result);
    locals_.resize(outside);
    e->type = types_.apply(fold.result->type, false);
  }

  void add_iteration_variables(const Comprehension& fold, const Type* range) {
    bool two = !fold.iter_var2.empty();
    const Type* first = types::kDyn;
    const Type* second = types::kDyn;
    if (range->is(TypeKind::List)) {
      first = two ? types::kInt : range->param(0);
      second = range->param(0);
    } else if (range->is(TypeKind::Map)) {
      first = range->param(0);
      second = range->param(1);
    } else if (range->is(TypeKind::Dyn) || range->is(TypeKind::Error) || range->is(TypeKind::Param)) {
      types_.assign(types::kDyn, range);
      if (!env_.options().types_untyped_values) second = pool_.opaque("", {});
    } else {
      report(fold.range->id, "expression of type '" + format_type(range) +
                                 "' cannot be range of a comprehension (must be list, map, or dynamic)");
      first = second = types::kError;
    }
    locals_.push_back({fold.iter_var, first});
    if (two) locals_.push_back({fold.iter_var2, second});
  }

  void require(const Expr* e, const Type* t) {
    if (!types_.assign(t, e->type)) report(e->id, type_mismatch(t, e->type));
  }

  // Replaces type variables by their bindings, in the whole tree.
  void settle(Expr& e) {
    e.type = types_.apply(e.type, true);
    refuse_deep_type(&e);
    for_each_child(e, [&](Expr& child) { settle(child); });
  }

  // Messages.

  void report(ExprId id, std::string message) {
    diagnostics_.report(ast_.span(id).start, std::move(message), id);
  }
  void report_undeclared(const Expr* e, std::string_view name) {
    report(e->id,
           "undeclared reference to '" + std::string(name) + "' (in container '" + env_.container() + "')");
  }

  Ast& ast_;
  const Environment& env_;
  Annotations& out_;
  TypePool& pool_;
  Substitution types_;
  std::vector<Local> locals_;
  bool cross_numeric_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics check(Ast& ast, const Environment& environment, Annotations& annotations) {
  Diagnostics diagnostics = Checker(ast, environment, annotations).run();
  if (diagnostics.empty()) validate(ast, environment.validators(), diagnostics);
  return diagnostics;
}

}  // namespace portcullis
