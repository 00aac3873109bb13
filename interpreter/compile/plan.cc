#include "interpreter/compile/plan.h"

#include <charconv>

#include "interpreter/functions/dispatch.h"
#include "interpreter/functions/regex.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/structs.h"
#include "typecheck/check.h"

namespace portcullis {
namespace {

class Planner {
 public:
  Planner(const Environment& environment, PlanOptions options, PlanConstants& constants)
      : environment_(environment), options_(options), constants_(constants) {}

  Result<PlanTree> run(const Ast& ast) {
    tree_.root = plan(*ast.root);
    if (!error_.empty()) return Error{error_};
    return std::move(tree_);
  }

 private:
  Plan* plan(const Expr& e) {
    if (!error_.empty()) return tree_.make(PlanKind::Constant, e.id);
    Plan* made = plan_node(e);
    if (!error_.empty() || !made) return tree_.make(PlanKind::Constant, e.id);
    return decorate(made);
  }

  Plan* decorate(Plan* p) {
    p = special_form(p);
    if (!error_.empty()) return p;
    Result<Plan*> folded = fold_constants(p, tree_, options_, constants_, environment_);
    if (!folded.ok()) return fail(folded.error().text), p;
    return *folded;
  }

  Plan* plan_node(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Literal: return constant(e.id, literal(e.literal));
      case ExprKind::Ident: return ident(e);
      case ExprKind::Select: return select(e);
      case ExprKind::Call: return call(e);
      case ExprKind::List: return list(e);
      case ExprKind::Map: return map(e);
      case ExprKind::Struct: return structure(e);
      case ExprKind::Comprehension: return comprehension(e);
      default: return fail("unsupported expr");
    }
  }

  Plan* fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
    return nullptr;
  }

  Plan* constant(ExprId id, Value v) {
    Plan* p = tree_.make(PlanKind::Constant, id);
    p->constant = v;
    return p;
  }

  // A text that lives as long as the program, which the tree does not.
  std::string_view keep(std::string_view text) { return constants_.arena.copy(text); }

  Value literal(const Literal& l) {
    if (auto* b = std::get_if<bool>(&l)) return Value::boolean(*b);
    if (auto* i = std::get_if<int64_t>(&l)) return Value::integer(*i);
    if (auto* u = std::get_if<uint64_t>(&l)) return Value::uinteger(*u);
    if (auto* d = std::get_if<double>(&l)) return Value::real(*d);
    if (auto* s = std::get_if<std::string>(&l)) return Value::string(keep(*s));
    if (auto* s = std::get_if<BytesLiteral>(&l)) return Value::bytes(keep(s->data));
    return Value::null();
  }

  // --- names

  struct Scope {
    std::string_view name;
    uint32_t number;
  };

  uint32_t declare(std::string_view name) {
    uint32_t number = tree_.scope_variables++;
    tree_.scope_names.emplace_back(name);
    scopes_.push_back({name, number});
    return number;
  }

  // The innermost local variable of that name.
  const Scope* find_local(std::string_view name) const {
    for (size_t i = scopes_.size(); i-- > 0;) {
      if (scopes_[i].name == name) return &scopes_[i];
    }
    return nullptr;
  }

  Plan* attribute(Attribute* a) {
    Plan* p = tree_.make(PlanKind::Attribute, a->id);
    p->attribute = a;
    return p;
  }

  Plan* variable(ExprId id, std::string_view name) {
    const Scope* local = find_local(name);
    Attribute* a = tree_.make(local ? AttributeKind::Local : AttributeKind::Variable, id);
    if (name.starts_with('.')) name.remove_prefix(1);  // the dot only keeps a local variable from hiding it
    a->name = name;
    if (local) a->scope = local->number;
    return attribute(a);
  }

  Plan* resolved(const Expr& e) {
    const Reference& r = *e.reference;
    switch (r.kind) {
      // By name, cel-go's checker knows the messages that are CEL values; its run-time provider knows only
      // the times.
      case ReferenceKind::TypeName:
        if (r.name.starts_with("google.protobuf.") &&
            (!r.type->name().starts_with("google.protobuf.") || r.type->is(TypeKind::Any))) {
          return fail("reference to undefined type: " + r.name);
        }
        if (r.name == "duration" || r.name == "timestamp")
          return fail("reference to undefined type: " + r.name);
        if (!environment_.find_registered_type(r.name)) return fail("reference to undefined type: " + r.name);
        return constant(e.id, Value::type(keep(r.type->name())));
      case ReferenceKind::Constant: return constant(e.id, Value::integer(r.constant));
      default: break;
    }
    // cel-go takes a variable of type `type` for the name of a type, which it does not find.
    if (e.type && e.type->is(TypeKind::Type)) {
      const Type* type = environment_.find_registered_type(r.name);
      return type ? constant(e.id, Value::type(type->name()))
                  : fail("reference to undefined type: " + r.name);
    }
    return variable(e.id, r.name);
  }

  Plan* ident(const Expr& e) {
    if (e.reference) return resolved(e);
    if (find_local(e.name)) return variable(e.id, e.name);
    Attribute* a = tree_.make(AttributeKind::Undeclared, e.id);
    a->name = e.name;
    return attribute(a);
  }

  // --- attributes

  // `operand` if it is an attribute, else a new attribute relative to its value.
  Plan* as_attribute(Plan* operand) {
    if (operand->kind == PlanKind::Attribute) return operand;
    Attribute* a = tree_.make(AttributeKind::Relative, operand->id);
    a->operand = operand;
    return attribute(a);
  }

  Plan* select(const Expr& e) {
    if (e.reference) return resolved(e);
    Plan* target = plan(*e.target);
    if (!error_.empty()) return nullptr;
    if (is_native(e.target->type)) return native_field(e, target);
    Plan* p = as_attribute(target);
    Qualifier q;
    q.constant = Value::string(keep(e.name));
    q.test_only = e.test_only || p->test_only;
    p->attribute->qualifiers.push_back(q);
    p->id = e.id;
    if (e.test_only) p->test_only = true;
    return p;
  }

  bool has_native_fields(std::string_view type_name) const {
    const StructForm* form = environment_.find_form(type_name);
    return form != nullptr && form->native_fields;
  }
  bool is_native(const Type* t) const {
    return t != nullptr && t->is(TypeKind::Struct) && has_native_fields(t->name());
  }

  // Makes an attribute over the field, which can take further qualifiers.
  Plan* native_field(const Expr& e, Plan* target) {
    Plan* p = tree_.make(PlanKind::NativeField, e.id);
    p->args.push_back(target);
    p->constant = Value::string(keep(e.name));
    p->test_only = e.test_only;
    Plan* whole = as_attribute(p);
    whole->test_only = e.test_only;
    return whole;
  }

  Plan* index(const Expr& e, Plan* operand, Plan* at, bool optional) {
    Plan* p = as_attribute(operand);
    Qualifier q;
    q.optional = optional;
    if (at->kind == PlanKind::Constant && is_key(at->constant)) {
      q.constant = at->constant;
    } else if (at->kind == PlanKind::Constant) {
      return fail("invalid qualifier type: " + std::string(go_type(at->constant)));
    } else {
      q.computed = at;
    }
    p->attribute->qualifiers.push_back(q);
    p->id = e.id;
    return p;
  }

  static bool is_key(const Value& v) {
    return v.is(Kind::String) || v.is(Kind::Int) || v.is(Kind::Uint) || v.is(Kind::Double) ||
           v.is(Kind::Bool);
  }

  Plan* conditional(const Expr& e, const std::vector<Plan*>& args) {
    Attribute* a = tree_.make(AttributeKind::Conditional, e.id);
    a->operand = args[0];
    a->yes = branch(args[1]);
    a->no = branch(args[2]);
    return attribute(a);
  }

  // A branch that is an attribute is not observed while it is resolved, so it is not charged its own unit.
  Attribute* branch(Plan* p) { return as_attribute(p)->attribute; }

  // --- calls

  struct Target {
    const Expr* receiver = nullptr;
    std::string_view function;
    const Overload* overload = nullptr;
    const FunctionGroup* group = nullptr;
  };

  Target resolve(const Expr& e) {
    Target t{e.target, e.name, nullptr, nullptr};
    if (e.reference) {
      if (e.reference->overloads.size() == 1) t.overload = e.reference->overloads[0];
      t.group = e.reference->group;
      if (!t.group) t.group = environment_.find_function(e.name);
      return t;
    }
    if (!e.target) {
      for (const std::string& name : environment_.candidates(e.name)) {
        if ((t.group = environment_.find_function(name))) return t.function = t.group->name, t;
      }
      if (t.function.starts_with('.')) t.function.remove_prefix(1);
      t.group = environment_.find_function(t.function);
      return t;
    }
    std::string prefix;
    if (qualified_name(*e.target, prefix)) {
      for (const std::string& name : environment_.candidates(prefix + "." + e.name)) {
        if (const FunctionGroup* g = environment_.find_function(name)) return {nullptr, g->name, nullptr, g};
      }
    }
    t.group = environment_.find_function(e.name);
    return t;
  }

  static bool qualified_name(const Expr& e, std::string& out) {
    if (e.reference) return false;
    if (e.kind == ExprKind::Ident) return out = e.name, true;
    if (e.kind != ExprKind::Select || e.test_only || !qualified_name(*e.target, out)) return false;
    out += "." + e.name;
    return true;
  }

  Plan* call(const Expr& e) {
    Target t = resolve(e);
    std::vector<Plan*> args;
    if (t.receiver) args.push_back(plan(*t.receiver));
    for (const Expr* arg : e.args) args.push_back(plan(*arg));
    if (!error_.empty()) return nullptr;
    std::string_view f = t.function;
    if (f == operators::kLogicalAnd) return node(PlanKind::And, e.id, std::move(args));
    if (f == operators::kLogicalOr) return node(PlanKind::Or, e.id, std::move(args));
    if (f == operators::kConditional && args.size() == 3) return conditional(e, args);
    if (f == operators::kEquals || f == operators::kNotEquals) return equality(e, f, std::move(args));
    if (f == operators::kIndex && args.size() == 2) return index(e, args[0], args[1], false);
    if ((f == operators::kOptSelect || f == operators::kOptIndex) && args.size() == 2) {
      return index(e, args[0], args[1], true);
    }
    Plan* p = node(PlanKind::Call, e.id, std::move(args));
    p->function = t.group && t.group->name == f ? t.group->name : keep(f);
    p->overload = t.overload;
    p->group = t.group;
    p->varargs = stops_at_errors(t.overload, t.group, p->args.size());
    if (p->args.empty() && !t.group) return fail("no such overload: " + std::string(f) + "()");
    return p;
  }

  Plan* node(PlanKind kind, ExprId id, std::vector<Plan*> args) {
    Plan* p = tree_.make(kind, id);
    p->args = std::move(args);
    return p;
  }

  Plan* equality(const Expr& e, std::string_view function, std::vector<Plan*> args) {
    Plan* p = node(PlanKind::Equal, e.id, std::move(args));
    p->negated = function == operators::kNotEquals;
    p->function = function;
    p->group = environment_.find_function(function);
    if (p->group && !p->group->overloads.empty()) p->overload = p->group->overloads[0];
    return p;
  }

  // Replaces calls of or, orValue and cel.@block, which cel-go's libraries replace by decorators.
  Plan* special_form(Plan* p) {
    if (p->kind != PlanKind::Call || p->args.size() != 2) return p;
    Builtin builtin = Builtin::None;
    if (p->overload) {
      if (p->overload->row) builtin = p->overload->row->builtin;
    } else if (p->group) {
      builtin = p->group->builtin;
    }
    if (builtin == Builtin::Block) return finish_block(p);
    if (builtin == Builtin::Or) p->kind = PlanKind::OrOptional;
    if (builtin == Builtin::OrValue) p->kind = PlanKind::OrValue;
    return p;
  }

  // --- aggregates

  Plan* list(const Expr& e) {
    Plan* p = tree_.make(PlanKind::List, e.id);
    for (const Expr* item : e.args) p->args.push_back(plan(*item));
    if (!e.optional_indices.empty()) {
      p->optionals.resize(e.args.size());
      for (int32_t i : e.optional_indices) p->optionals[i] = true;
    }
    return p;
  }

  Plan* map(const Expr& e) {
    Plan* p = tree_.make(PlanKind::Map, e.id);
    for (size_t i = 0; i < e.entries.size(); ++i) {
      p->args.push_back(plan(*e.entries[i].key));
      p->args.push_back(plan(*e.entries[i].value));
      note_optional(p, e, i);
    }
    return p;
  }

  static void note_optional(Plan* p, const Expr& e, size_t i) {
    if (!e.entries[i].optional) return;
    p->optionals.resize(e.entries.size());
    p->optionals[i] = true;
  }

  Plan* structure(const Expr& e) {
    Plan* p = tree_.make(PlanKind::Struct, e.id);
    p->type_name = e.reference ? keep(e.reference->name) : struct_name(e.name);
    // The checker takes these two for messages. cel-go's own provider knows none of that name; one that
    // answers simple types by their names (Kubernetes') lets them pass, and then cannot make one.
    bool no_message = p->type_name == "list" || p->type_name == "null_type";
    if (p->type_name.empty() || (no_message && !environment_.knows_struct(p->type_name)))
      return fail("unknown type: " + (no_message ? std::string(p->type_name) : e.name));
    for (size_t i = 0; i < e.entries.size(); ++i) {
      p->fields.push_back(keep(e.entries[i].field));
      p->args.push_back(plan(*e.entries[i].value));
      note_optional(p, e, i);
    }
    return p;
  }

  std::string_view struct_name(std::string_view name) {
    for (const std::string& candidate : environment_.candidates(name)) {
      const Type* type = environment_.find_type_name(candidate);
      if (type && type->is(TypeKind::Struct)) return keep(candidate);
    }
    return {};
  }

  // --- comprehensions

  Plan* comprehension(const Expr& e) {
    const Comprehension& c = *e.fold;
    Plan* p = tree_.make(PlanKind::Fold, e.id);
    p->fold = std::make_unique<Fold>();
    Fold& f = *p->fold;
    f.init = plan(*c.accu_init);
    f.range = plan(*c.range);
    f.accu = declare(c.accu_var);
    f.iter = declare(c.iter_var);
    if (!c.iter_var2.empty()) f.iter2 = declare(c.iter_var2);
    f.condition = plan(*c.loop_condition);
    f.step = plan(*c.loop_step);
    scopes_.pop_back();
    if (!c.iter_var2.empty()) scopes_.pop_back();
    f.result = plan(*c.result);
    scopes_.pop_back();
    return p;
  }

  // Binds the slots of cel.@block([e0, e1, ...], result). Its arguments were planned with @index0, @index1,
  // ... as undeclared variables.
  Plan* finish_block(Plan* p) {
    Plan* inits = p->args[0];
    Plan* result = p->args[1];
    if (inits->kind == PlanKind::Constant && inits->constant.is(Kind::List) && inits->constant.size() == 0) {
      return result;
    }
    p->kind = PlanKind::Block;
    if (inits->kind == PlanKind::List) {
      p->inits = inits->args;
    } else if (inits->kind == PlanKind::Constant && inits->constant.is(Kind::List)) {
      for (const Value& v : inits->constant.as_list()) p->inits.push_back(constant(0, v));
    } else {
      return fail("cel.@block expects a list constructor as the first argument"), p;
    }
    for (size_t i = 0; i < p->inits.size(); ++i) {
      p->variables.push_back(tree_.scope_variables++);
      tree_.scope_names.push_back("@index" + std::to_string(i));
    }
    for (Plan* init : p->inits) bind_slots(init, *p);
    bind_slots(result, *p);
    p->args = {result};
    return p;
  }

  void bind_slots(Plan* p, const Plan& block) {
    if (!p) return;
    if (p->attribute) bind_slots(p->attribute, block);
    for (Plan* arg : p->args) bind_slots(arg, block);
    for (Plan* init : p->inits) bind_slots(init, block);
    if (p->fold) {
      for (Plan* part : {p->fold->range, p->fold->init, p->fold->condition, p->fold->step, p->fold->result}) {
        bind_slots(part, block);
      }
    }
  }

  void bind_slots(Attribute* a, const Plan& block) {
    bool global = a->kind == AttributeKind::Undeclared || a->kind == AttributeKind::Variable;
    constexpr std::string_view kPrefix = "@index";
    if (global && a->name.starts_with(kPrefix)) {
      size_t n = 0;
      auto digits = a->name.substr(kPrefix.size());
      auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
      if (ec == std::errc() && end == digits.data() + digits.size() && n < block.variables.size()) {
        a->kind = AttributeKind::Local;
        a->scope = block.variables[n];
      }
    }
    bind_slots(a->operand, block);
    for (Attribute* b : {a->yes, a->no}) {
      if (b) bind_slots(b, block);
    }
    for (Qualifier& q : a->qualifiers) bind_slots(q.computed, block);
  }

  const Environment& environment_;
  PlanOptions options_;
  PlanConstants& constants_;
  PlanTree tree_;
  std::vector<Scope> scopes_;
  std::string error_;
};

}  // namespace

Result<PlanTree> plan(const Ast& ast, const Environment& environment, PlanOptions options,
                      PlanConstants& constants) {
  return Planner(environment, options, constants).run(ast);
}

}  // namespace portcullis
