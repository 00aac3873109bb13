// See evaluation_trace.h.
#include "admission/engine/evaluation_trace.h"

#include "interpreter/cel.h"

namespace portcullis {
namespace {

class Replay final : public ReviewTrace::Replay {
 public:
  Replay(ReviewContext::State& state, const LoadedPolicy& policy, const Expression& expression)
      : state_(state), policy_(policy), expression_(expression) {}
  void expression(Watch& watch) override { run(expression_, watch); }
  std::optional<ReviewTrace::Variable> variable(std::string_view field, Watch& watch) override {
    size_t i = find_variable(policy_.variables, field);
    if (i == policy_.variables.size() || policy_.variables[i].program == nullptr) return std::nullopt;
    const PolicyVariable& v = policy_.variables[i];
    run(v.program->expression(), watch);
    return ReviewTrace::Variable{v.name, &v.program->expression()};
  }

 private:
  void run(const Expression& expression, Watch& watch) {
    explain(expression, *state_.activation, state_.context, watch, {.cost_limit = kPerCallLimit});
  }
  ReviewContext::State& state_;
  const LoadedPolicy& policy_;
  const Expression& expression_;
};

}  // namespace

void tell_evaluations(ReviewTrace& trace, ReviewContext::State& state, const LoadedPolicy& policy,
                      ReviewTrace::Evaluated told, std::span<const PolicyExpression> expressions,
                      std::span<const Evaluation> results) {
  using Part = ReviewTrace::Part;
  bool tests = told.part == Part::MatchCondition || told.part == Part::Validation;
  for (size_t i = 0; i < results.size(); i++, told.index++) {
    if (expressions[i].program == nullptr) continue;
    told.cost = results[i].cost;
    told.error = results[i].error;
    told.value = results[i].value;
    told.passed = told.error.empty() && !(tests && !results[i].value.is_true());
    told.expression = &expressions[i].program->expression();
    Replay replay(state, policy, *told.expression);
    trace.evaluated(told, replay);
  }
}

}  // namespace portcullis
