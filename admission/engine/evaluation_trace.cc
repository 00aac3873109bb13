// See evaluation_trace.h.
#include "admission/engine/evaluation_trace.h"

#include "interpreter/cel.h"

namespace portcullis {
namespace {

// The variables of the last stage; remembers which are read.
class ReadFields final : public LazyFields {
 public:
  ReadFields(LazyFields& fields, std::span<const PolicyVariable> variables)
      : fields_(fields), variables_(variables), read_(variables.size()) {}
  bool has(std::string_view field) override { return fields_.has(field); }
  Value get(std::string_view field) override {
    size_t i = find_variable(variables_, field);
    if (i < read_.size()) read_[i] = true;
    return fields_.get(field);
  }
  std::span<const std::string_view> names() override { return fields_.names(); }
  std::vector<std::string_view> read() const {
    std::vector<std::string_view> out;
    for (size_t i = 0; i < read_.size(); i++) {
      if (read_[i]) out.push_back(variables_[i].name);
    }
    return out;
  }

 private:
  LazyFields& fields_;
  std::span<const PolicyVariable> variables_;
  std::vector<bool> read_;
};

class Replay final : public ReviewTrace::Replay {
 public:
  Replay(ReviewContext::State& state, std::span<const PolicyVariable> variables,
         const PolicyExpression& expression)
      : state_(state), variables_(variables), expression_(expression) {}
  ExpressionPtr expression(Watch& watch) override {
    return run(expression_.text, *expression_.program, watch);
  }
  std::optional<ReviewTrace::Variable> variable(std::string_view field, Watch& watch) override {
    size_t i = find_variable(variables_, field);
    if (i == variables_.size() || variables_[i].program == nullptr) return std::nullopt;
    const PolicyVariable& v = variables_[i];
    ExpressionPtr expression = run(v.text, *v.program, watch);
    return expression == nullptr ? std::nullopt : std::optional(ReviewTrace::Variable{v.name, expression});
  }
  // Setting `variables` again makes the machine ask for each once more.
  std::vector<std::string_view> run(const Program& program, Watch& watch) override {
    LazyFields& fields = state_.runner.fields();
    const uint32_t number = state_.runner.number();
    const bool reads = number != PathTable::kNone;
    ReadFields read(fields, reads ? variables_ : std::span<const PolicyVariable>());
    if (reads) state_.activation->set_fields(number, &read, kVariablesType);
    evaluate_watched(program, *state_.activation, state_.context, watch, {.cost_limit = kPerCallCostLimit});
    if (reads) state_.activation->set_fields(number, &fields, kVariablesType);
    return read.read();
  }

 private:
  // What once compiled does so again, unless a variable that it reads is declared twice: then null.
  ExpressionPtr run(std::string_view text, const Program& program, Watch& watch) {
    Result<ExpressionPtr> expression = compile(text, program.environment());
    if (!expression.ok()) return nullptr;
    explain(**expression, *state_.activation, state_.context, watch, {.cost_limit = kPerCallCostLimit});
    return *expression;
  }
  ReviewContext::State& state_;
  std::span<const PolicyVariable> variables_;
  const PolicyExpression& expression_;
};

}  // namespace

void tell_evaluations(ReviewTrace& trace, ReviewContext::State& state,
                      std::span<const PolicyVariable> variables, ReviewTrace::Evaluated told,
                      std::span<const PolicyExpression> expressions, std::span<const Evaluation> results) {
  using Part = ReviewTrace::Part;
  bool tests = told.part == Part::MatchCondition || told.part == Part::Validation;
  for (size_t i = 0; i < results.size(); i++, told.index++) {
    if (expressions[i].program == nullptr) continue;
    told.cost = results[i].cost;
    told.error = results[i].error;
    told.value = results[i].value;
    told.passed = told.error.empty() && !(tests && !results[i].value.is_true());
    Replay replay(state, variables, expressions[i]);
    trace.evaluated(told, replay);
  }
}

}  // namespace portcullis
