#include "bench/one_case.h"

#include "admission/expressions/environment.h"
#include "typecheck/environment.h"

namespace portcullis::bench {

std::shared_ptr<const Environment> environment_of(const Value& variables) {
  EnvironmentBuilder builder(stored_environment());
  for (const MapEntry& entry : variables.as_map()) builder.variable(entry.key.as_text(), types::kDyn);
  return builder.build().value();
}

OneCase::OneCase(std::string_view expression, const Value& variables)
    : program_(make_program(compile(expression, environment_of(variables)).value()).value()),
      activation_(program_->paths()) {
  for (const MapEntry& entry : variables.as_map())
    variables_.emplace_back(program_->paths()->find_variable(entry.key.as_text()), entry.value);
}

Outcome OneCase::evaluate() {
  context_.reset();
  for (const auto& [number, value] : variables_) activation_.set(number, value);
  return portcullis::evaluate(*program_, activation_, context_, {.cost_limit = 10'000'000});
}

}  // namespace portcullis::bench
