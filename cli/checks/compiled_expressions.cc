// See compiled_expressions.h.
#include "cli/checks/compiled_expressions.h"

#include <algorithm>

#include "admission/expressions/expression_places.h"

namespace portcullis {
namespace {

// Whether validations may see a request without the object that they read.
bool may_lack_object(const InputObject& policy) {
  const bool reads_old = std::ranges::any_of(list_at(policy.value, "spec.validations"), [](const Value& v) {
    return text_member(v, "expression").find("oldObject") != std::string_view::npos;
  });
  for (const Value& rule : list_at(policy.value, "spec.matchConstraints.resourceRules")) {
    for (const Value& operation : list_member(rule, "operations")) {
      const std::string_view name = operation.is(Kind::String) ? operation.as_text() : "";
      if (name == "*" || name == "DELETE" || (reads_old && name == "CREATE")) return true;
    }
  }
  return false;
}

}  // namespace

void CompiledExpressions::add(const InputObject& object, const std::string& path,
                              const CompiledExpression& compiled) {
  const ExpressionPlace* place = place_at(path);
  const bool looked_at =
      is_mutating(object) ||
      (place != nullptr && (place->role == ExpressionRole::MatchCondition ||
                            (place->role == ExpressionRole::Validation && may_lack_object(object))));
  if (looked_at && compiled.error.empty() && compiled.expression != nullptr)
    known_[{&object, path}] = compiled.expression;
}

ExpressionPtr CompiledExpressions::find(const InputObject& object, const std::string& path) const {
  auto found = known_.find({&object, path});
  return found == known_.end() ? nullptr : found->second;
}

}  // namespace portcullis
