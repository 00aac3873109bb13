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

// What environments of 1.28 and 1.32 seem to have, and cel-go has since 0.23.
constexpr uint32_t kCelGo23 = 33;
constexpr std::string_view kOverloadsOfCelGo23[] = {"list_first", "list_last", "optional_unwrap",
                                                    "optional_unwrapOpt"};
// object.`a-b`: cel-go 0.29.
constexpr uint32_t kEscapedNames = 37;

// The first minor whose environment has it; kLast + 1 if none does, such as what only mutations have.
uint32_t first_minor(const std::function<bool(const Environment&)>& has) {
  uint32_t minor = kFirst;
  while (minor <= kLast && !has(*new_environment({1, minor}))) minor++;
  return minor;
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
      : ast_(expression.ast()), keywords_(keywords), environment_(*new_environment({1, kLast})) {}

  std::vector<Need> run() {
    visit(*ast_.root);
    for (const auto& [id, call] : ast_.macro_calls) macro(*call);
    std::ranges::stable_sort(needs_, std::ranges::greater(), &Need::minor);
    return std::move(needs_);
  }

 private:
  void add(std::string what, std::string library, uint32_t minor, bool compiler = false) {
    if (minor <= kFirst || minor > kLast) return;
    Need need{std::move(what), std::move(library), minor, compiler};
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
    if (escaped) add("a name in backticks", {}, kEscapedNames, true);
    bool optional = !e.optional_indices.empty() || std::ranges::any_of(e.entries, &Entry::optional) ||
                    e.is_call(operators::kOptSelect, 2) || e.is_call(operators::kOptIndex, 2);
    if (!optional) return;
    add("optional syntax such as a.?b", "optional",
        first_minor([](const Environment& env) { return env.options().optional_syntax; }));
  }

  // The oldest of the call's overloads.
  void call(const Expr& e) {
    if (e.reference == nullptr || e.name == operators::kOptSelect || e.name == operators::kOptIndex) return;
    uint32_t minor = kLast + 1;
    const Overload* oldest = nullptr;
    for (const Overload* o : e.reference->overloads) {
      uint32_t first = first_minor([&](const Environment& env) {
        const Overload* found = find_overload(env, e.name, o->id);
        return found != nullptr && (!o->cross_numeric || env.options().cross_type_numeric_comparisons);
      });
      if (first < minor) {
        minor = first;
        oldest = o;
      }
    }
    if (oldest == nullptr) return;
    if (std::ranges::count(kOverloadsOfCelGo23, oldest->id) > 0)
      return add(e.name + "()", library_of(environment_, oldest->row, &Library::functions), kCelGo23, true);
    if (oldest->cross_numeric) return add("comparisons of int, uint and double with each other", {}, minor);
    bool named = minor == first_minor([&](const Environment& env) { return env.find_function(e.name); });
    std::string what = named || oldest->row == nullptr ? e.name + "()" : std::string(oldest->row->signature);
    add(std::move(what), library_of(environment_, oldest->row, &Library::functions), minor);
  }

  void macro(const Expr& e) {
    if (e.kind != ExprKind::Call) return;  // part of another macro's call
    auto in = [&](const Environment& env) {
      return env.macros().find(e.name, e.args.size(), e.target != nullptr);
    };
    const Macro* row = in(environment_);
    if (row == nullptr) return;
    uint32_t minor = first_minor([&](const Environment& env) { return in(env) != nullptr; });
    std::string library = library_of(environment_, row, &Library::macros);
    std::string what = e.name + "()";
    const MacroTable& old = new_environment({1, kFirst})->macros();
    bool older = !e.args.empty() && old.find(e.name, e.args.size() - 1, e.target != nullptr) != nullptr;
    if (library == "two-var-comprehensions" && older) what += " with two variables";
    // It has no types for elements of what has none.
    const bool untyped = e.target != nullptr && e.target->type != nullptr && e.target->type->is_dyn();
    if (library == "two-var-comprehensions" && untyped && e.name != "transformMapEntry")
      add(what + " of what has no known type", library, kCelGo23, true);
    add(std::move(what), std::move(library), minor);
  }

  void type_name(const Expr& e) {
    if (e.reference == nullptr || e.reference->kind != ReferenceKind::TypeName) return;
    add("the type " + e.reference->name, {},
        first_minor([&](const Environment& env) { return env.find_type_name(e.reference->name); }));
  }

  void field(const Expr& e) {
    if (!keywords_ || e.target == nullptr || e.target->type == nullptr) return;
    bool object = e.target->type->is(TypeKind::Struct);
    if (object && is_reserved_word(e.name))
      add("the field " + e.name + " without escapes", {}, kKeywordFields);
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
