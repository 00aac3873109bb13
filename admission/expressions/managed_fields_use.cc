#include "admission/expressions/managed_fields_use.h"

#include <algorithm>
#include <vector>

#include "admission/expressions/expression_places.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

bool is_object(const Expr& e) {
  if (e.kind != ExprKind::Ident) return false;
  std::string_view name = e.name;
  if (name.starts_with('.')) name.remove_prefix(1);
  return name == "object" || name == "oldObject";
}

// The operand of a path step (a.b, a.?b, a['b'], a[?'b']), with the name of the step in `name`; null if `e`
// is no step.
const Expr* step_of(const Expr& e, std::string_view& name) {
  if (e.kind == ExprKind::Select) return name = e.name, e.target;
  for (std::string_view step : {operators::kIndex, operators::kOptIndex, operators::kOptSelect}) {
    const auto* key = e.is_call(step, 2) ? std::get_if<std::string>(&e.args[1]->literal) : nullptr;
    if (key != nullptr) return name = *key, e.args[0];
  }
  return nullptr;
}

// The names of a path that starts at an object, the last one first; empty for anything else.
std::vector<std::string_view> path_of(const Expr& e) {
  std::vector<std::string_view> names;
  const Expr* at = &e;
  std::string_view name;
  for (const Expr* operand; (operand = step_of(*at, name)) != nullptr; at = operand) names.push_back(name);
  return is_object(*at) ? names : std::vector<std::string_view>();
}

// The field of metadata, as a JSON pointer below the text before its first slash, which does not count.
constexpr std::string_view kPlace = "/metadata/managedFields";

// Whether a pointer that has or begins with `known` may lead to the field, into it, or to what holds it.
bool leads_there(std::string_view known, bool whole) {
  known.remove_prefix(std::min(known.find('/'), known.size()));
  if (known.starts_with(kPlace))
    return !whole || known.size() == kPlace.size() || known[kPlace.size()] == '/';
  if (!kPlace.starts_with(known)) return false;
  return !whole || known.empty() || kPlace[known.size()] == '/';
}

// Whether an operation with this `path` or `from` may see or change the field.
bool is_path_there(const Expr& e) {
  const Expr* first = &e;  // of `'/metadata/labels/' + key`
  while (first->is_call(operators::kAdd, 2)) first = first->args[0];
  const auto* text = std::get_if<std::string>(&first->literal);
  return text == nullptr || leads_there(*text, first == &e);
}

bool is_patch_there(const Expr& e) {
  return e.kind == ExprKind::Struct && (e.name == "JSONPatch" || e.name == ".JSONPatch") &&
         std::ranges::any_of(e.entries, [](const Entry& x) {
           return (x.field == "path" || x.field == "from") && is_path_there(*x.value);
         });
}

bool sees(const Expr& e) {
  if (is_object(e)) return true;
  std::vector<std::string_view> path = path_of(e);
  if (!path.empty()) {
    size_t n = path.size();
    return path[n - 1] == "metadata" && (n == 1 || path[n - 2] == "managedFields");
  }
  if (is_patch_there(e)) return true;
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || sees(child); });
  return found;
}

}  // namespace

bool expression_sees_managed_fields(std::string_view expression, SharedParses& parses) {
  const Parsed& parsed = parses.read(Source(expression), stored_environment()->parse_options());
  return !parsed.ok() || parsed.ast.root == nullptr || sees(*parsed.ast.root);
}

bool policy_sees_managed_fields(const Value& policy, SharedParses& parses) {
  return std::ranges::any_of(expressions_of(policy), [&](const PlacedExpression& e) {
    return !e.text.empty() && expression_sees_managed_fields(e.text, parses);
  });
}

}  // namespace portcullis
