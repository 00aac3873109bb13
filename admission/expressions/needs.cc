// See needs.h.
#include "admission/expressions/needs.h"

#include <algorithm>
#include <functional>

#include "admission/expressions/environment.h"
#include "grammar/ascii.h"
#include "grammar/escape.h"
#include "typecheck/check.h"
#include "typecheck/type.h"

namespace portcullis {
namespace {

constexpr uint32_t kFirst = KubernetesVersion::kFirst, kLast = KubernetesVersion::kLast;
// Since then rules may name a property by a keyword without escapes (crd/rules.h).
constexpr uint32_t kKeywordFields = 31;

// The first server that has something, and whether at once in new expressions; kLast + 1 if none does, such as what
// only mutations have.
struct First {
  uint32_t minor = kFirst;
  bool at_once = false;
};
First first_server(const std::function<bool(const Environment&)>& has) {
  First out;
  while (out.minor <= kLast && !has(*new_environment(stored_on(out.minor)))) out.minor++;
  out.at_once = out.minor <= kLast && has(*new_environment(new_on(out.minor)));
  return out;
}

const Overload* find_overload(const Environment& environment, std::string_view function,
                              std::string_view id) {
  const FunctionGroup* group = environment.find_function(function);
  if (group == nullptr) return nullptr;
  auto found = std::ranges::find(group->overloads, id, &Overload::id);
  return found == group->overloads.end() ? nullptr : *found;
}

// The library of the environment with this row or macro; empty for a part of the standard library.
template <class Row>
std::string library_of(const Environment& environment, const Row* row, std::span<const Row> Library::* rows) {
  for (const Environment::Use& use : environment.libraries()) {
    std::span<const Row> of = use.library->*rows;
    if (row >= of.data() && row < of.data() + of.size())
      return use.library->name == "stdlib" ? std::string() : std::string(use.library->name);
  }
  return {};
}

class Search {
 public:
  Search(const Expression& expression, bool keywords)
      : ast_(expression.ast()), keywords_(keywords), environment_(*new_environment(stored_on(kLast))) {}

  std::vector<Need> run() {
    visit(*ast_.root);
    for (const auto& [id, call] : ast_.macro_calls) macro(*call);
    std::ranges::stable_sort(needs_, std::ranges::greater(), &Need::minor);
    return std::move(needs_);
  }

 private:
  void add(std::string what, std::string library, First first) {
    if (first.minor <= kFirst || first.minor > kLast) return;
    Need need{std::move(what), std::move(library), first.minor, first.at_once};
    if (std::ranges::find(needs_, need) == needs_.end()) needs_.push_back(std::move(need));
  }

  void visit(const Expr& e) {
    syntax(e);
    if (e.kind == ExprKind::Call) call(e);
    if (e.kind == ExprKind::Ident) type_name(e);
    if (e.kind == ExprKind::Select) field(e);
    for_each_child(e, [&](const Expr& child) { visit(child); });
  }

  void syntax(const Expr& e) {
    const auto is_plain = [](char c) { return is_alphanumeric(c) || c == '_'; };
    const bool escaped = e.kind == ExprKind::Select && !std::ranges::all_of(e.name, is_plain);
    if (escaped)
      add("a name in backticks", {},
          first_server([](const Environment& env) { return env.options().escape_identifiers; }));
    bool optional = !e.optional_indices.empty() || std::ranges::any_of(e.entries, &Entry::optional) ||
                    e.is_call(operators::kOptSelect, 2) || e.is_call(operators::kOptIndex, 2);
    if (!optional) return;
    add("optional syntax such as a.?b", "optional",
        first_server([](const Environment& env) { return env.options().optional_syntax; }));
  }

  // The oldest of the call's overloads.
  void call(const Expr& e) {
    if (e.reference == nullptr || e.name == operators::kOptSelect || e.name == operators::kOptIndex) return;
    First since{.minor = kLast + 1};
    const Overload* oldest = nullptr;
    for (const Overload* o : e.reference->overloads) {
      const First first = first_server([&](const Environment& env) {
        const Overload* found = find_overload(env, e.name, o->id);
        return found != nullptr && (!o->cross_numeric || env.options().cross_type_numeric_comparisons);
      });
      if (first.minor < since.minor) {
        since = first;
        oldest = o;
      }
    }
    if (oldest == nullptr) return;
    if (oldest->cross_numeric) return add("comparisons of int, uint and double with each other", {}, since);
    const First name = first_server([&](const Environment& env) { return env.find_function(e.name); });
    const bool named = since.minor == name.minor;
    std::string what = named || oldest->row == nullptr ? e.name + "()" : std::string(oldest->row->signature);
    add(std::move(what), library_of(environment_, oldest->row, &Library::functions), since);
  }

  void macro(const Expr& e) {
    if (e.kind != ExprKind::Call) return;  // part of another macro's call
    auto in = [&](const Environment& env) {
      return env.macros().find(e.name, e.args.size(), e.target != nullptr);
    };
    const Macro* row = in(environment_);
    if (row == nullptr) return;
    const First since = first_server([&](const Environment& env) { return in(env) != nullptr; });
    std::string library = library_of(environment_, row, &Library::macros);
    std::string what = e.name + "()";
    const MacroTable& old = new_environment(stored_on(kFirst))->macros();
    bool older = !e.args.empty() && old.find(e.name, e.args.size() - 1, e.target != nullptr) != nullptr;
    if (library == "two-var-comprehensions" && older) what += " with two variables";
    // Before that, elements of what has no type have none, with which few expressions compile.
    const bool untyped = e.target != nullptr && e.target->type != nullptr && e.target->type->is_dyn();
    if (library == "two-var-comprehensions" && untyped)
      add(what + " of what has no known type", library, first_server([&](const Environment& env) {
            return in(env) && env.options().types_untyped_values;
          }));
    add(std::move(what), std::move(library), since);
  }

  void type_name(const Expr& e) {
    if (e.reference == nullptr || e.reference->kind != ReferenceKind::TypeName) return;
    add("the type " + e.reference->name, {},
        first_server([&](const Environment& env) { return env.find_type_name(e.reference->name); }));
  }

  void field(const Expr& e) {
    if (!keywords_ || e.target == nullptr || e.target->type == nullptr) return;
    bool object = e.target->type->is(TypeKind::Struct);
    if (object && is_reserved_word(e.name))
      add("the field " + e.name + " without escapes", {}, {kKeywordFields});
  }

  const Ast& ast_;
  bool keywords_;
  const Environment& environment_;
  std::vector<Need> needs_;
};

}  // namespace

std::vector<Need> needs_of(const Expression& expression, bool keywords) {
  return Search(expression, keywords).run();
}

}  // namespace portcullis
