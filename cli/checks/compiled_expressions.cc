// See compiled_expressions.h.
#include "cli/checks/compiled_expressions.h"

#include "admission/expressions/expression_places.h"

namespace portcullis {

void CompiledExpressions::add(const InputObject& object, const std::string& path,
                              const CompiledExpression& compiled) {
  const ExpressionPlace* place = place_at(path);
  bool condition = place != nullptr && place->role == ExpressionRole::MatchCondition;
  if ((condition || is_mutating(object)) && compiled.error.empty() && compiled.expression != nullptr)
    known_[{&object, path}] = compiled.expression;
}

ExpressionPtr CompiledExpressions::find(const InputObject& object, const std::string& path) const {
  auto found = known_.find({&object, path});
  return found == known_.end() ? nullptr : found->second;
}

}  // namespace portcullis
