#include "admission/engine/stage.h"

#include <algorithm>

#include "grammar/escape.h"
#include "interpreter/values/builder.h"

namespace portcullis {
namespace {

// Subtracts `cost` from the budget; false if the budget is too small. A negative budget is too small even for
// a cost of 0.
bool charge(uint64_t cost, int64_t& budget) {
  int64_t signed_cost = static_cast<int64_t>(cost);
  if (signed_cost > budget) return false;
  budget = static_cast<int64_t>(static_cast<uint64_t>(budget) - cost);
  return true;
}

}  // namespace

// Kubernetes unescapes the field of an expression, but not the names of variables. So `variables.a__dot__b`
// finds nothing, and `variables.__namespace__` finds the variable `namespace`.
size_t find_variable(std::span<const PolicyVariable> variables, std::string_view field) {
  std::optional<std::string> name;
  if (field.find("__") != field.npos) {
    name = unescape_property(field);
    if (!name) return variables.size();
    field = *name;
  }
  size_t i = 0;
  while (i < variables.size() && variables[i].name != field) i++;
  return i;
}

// Evaluates an expression or a variable.
template <class T>
static Outcome evaluate_item(const T& item, Activation& activation, Context& context, const Limits& limits) {
  return item.memo == PathTable::kNone ? evaluate(*item.program, activation, context, limits)
                                       : evaluate_once(*item.program, item.memo, activation, context, limits);
}

// Whether interrupt or deadline ended the evaluation, not its cost.
static bool is_interrupted(const Outcome& outcome) {
  return outcome.cancelled && outcome.value.as_error().message == Limits::kInterruptedText;
}

// The fields of `variables`, evaluated on demand.
class StageRunner::Variables : public LazyFields {
 public:
  // `interrupted`: is set to true if an evaluation is.
  Variables(Context& context, const Limits& limits, bool* const& interrupted)
      : context_(context), limits_(limits), interrupted_(interrupted) {}

  void begin(std::span<const PolicyVariable> variables, Activation& activation) {
    variables_ = variables;
    activation_ = &activation;
    spent_ = 0;
    states_.assign(variables.size(), State::Unasked);
    values_.resize(variables.size());
    names_.clear();
  }
  // The cost of variables evaluated since the last call.
  uint64_t take_spent() {
    uint64_t spent = spent_;
    spent_ = 0;
    return spent;
  }

  bool has(std::string_view field) override { return find_variable(variables_, field) < variables_.size(); }
  Value get(std::string_view field) override {
    size_t i = find_variable(variables_, field);
    if (i >= variables_.size()) return make_error(context_.arena(), "no such key");
    if (states_[i] == State::Done) return values_[i];
    // A variable that is defined twice can refer to itself; Kubernetes would not survive that.
    if (states_[i] == State::Running)
      return make_error(context_.arena(), "composited variable refers to itself");
    states_[i] = State::Running;
    values_[i] = compute(variables_[i]);
    states_[i] = State::Done;
    return values_[i];
  }

  // The distinct names of variables. They are rarely needed, so they are made on demand.
  std::span<const std::string_view> names() override {
    if (!names_.empty()) return names_;
    for (const PolicyVariable& v : variables_) {
      if (std::find(names_.begin(), names_.end(), v.name) == names_.end()) names_.emplace_back(v.name);
    }
    return names_;
  }

 private:
  enum class State : uint8_t { Unasked, Running, Done };

  Value compute(const PolicyVariable& v) {
    if (v.program == nullptr) return make_error(context_.arena(), v.compile_error);
    Outcome outcome = evaluate_item(v, *activation_, context_, limits_);
    // Kubernetes sums signed numbers, which wrap.
    spent_ += std::min(outcome.cost, static_cast<uint64_t>(INT64_MAX));
    if (!outcome.value.is_error()) return outcome.value;
    if (is_interrupted(outcome)) *interrupted_ = true;
    std::string_view text = joined(
        context_.arena(),
        {"composited variable \"", v.name, "\" fails to evaluate: ", outcome.value.as_error().message});
    return Value::error(context_.arena().make<ErrorValue>(text));
  }

  Context& context_;
  const Limits& limits_;
  bool* const& interrupted_;
  std::span<const PolicyVariable> variables_;
  Activation* activation_ = nullptr;
  uint64_t spent_ = 0;
  std::vector<State> states_;
  std::vector<Value> values_;
  std::vector<std::string_view> names_;
};

StageRunner::StageRunner(Context& context) : context_(context) {
  limits_.cost_limit = kPerCallCostLimit;
  variables_ = std::make_unique<Variables>(context_, limits_, interrupted_);
}
StageRunner::~StageRunner() = default;

void StageRunner::interrupt_for(ReviewContext& context) {
  limits_.interrupt = context.interrupt;
  limits_.deadline = context.deadline;
  interrupted_ = &context.interrupted;
}

LazyFields& StageRunner::fields() { return *variables_; }

// False if the budget does not cover the expression.
[[gnu::always_inline]] inline bool StageRunner::evaluate_one(const PolicyExpression& expression,
                                                             Activation& activation, int64_t& budget,
                                                             Evaluation& result) {
  result.error = {};
  result.cost = 0;
  result.absent = expression.absent;
  if (expression.program == nullptr) {
    if (!expression.absent) result.error = expression.compile_error;
    return true;
  }
  const Activation::Memo* memo = activation.remembered(expression.memo);
  const Outcome outcome = memo != nullptr && memo->cost <= limits_.cost_limit
                              ? Outcome{memo->value, memo->cost, false}
                              : evaluate_item(expression, activation, context_, limits_);
  result.cost = outcome.cost;
  bool covered = true;
  if (number_ != PathTable::kNone) {
    const uint64_t spent = variables_->take_spent();
    result.cost += spent;
    covered = charge(spent, budget);
  }
  covered = covered && outcome.cost <= INT64_MAX && charge(outcome.cost, budget);
  if (!covered || outcome.value.is_error()) [[unlikely]] {
    if (is_interrupted(outcome)) *interrupted_ = true;
    if (!covered) return false;
    result.error = joined(context_.arena(), {"expression '", expression.text,
                                             "' resulted in error: ", outcome.value.as_error().message});
    return true;
  }
  result.value = outcome.value;
  return true;
}

bool StageRunner::run(std::span<const PolicyExpression> expressions, const StageVariables& variables,
                      Activation& activation, int64_t& budget, std::vector<Evaluation>& results) {
  if (results.size() != expressions.size()) results.resize(expressions.size());
  if (expressions.empty()) return true;
  number_ = variables.number;
  if (number_ != PathTable::kNone) {
    variables_->begin(variables.all, activation);
    activation.set_fields(number_, variables_.get(), kVariablesType);
  }
  Evaluation* result = results.data();
  for (const PolicyExpression& expression : expressions) {
    if (!evaluate_one(expression, activation, budget, *result++)) {
      results.resize(static_cast<size_t>(result - results.data()));
      return false;
    }
  }
  return true;
}

}  // namespace portcullis
