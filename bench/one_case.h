// One case of ../shared/bench/cases.json, ready to be evaluated: an expression and its variables.
//
// Idea: the variables are dynamic, as `object` and `params` are. evaluate() sets them anew and counts the exact cost, as
// for a new request.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/cel.h"

namespace portcullis::bench {

std::shared_ptr<const Environment> environment_of(const Value& variables);

class OneCase {
 public:
  // `variables`: a map from names to values, which must outlive this. The expression must compile.
  OneCase(std::string_view expression, const Value& variables);

  // The outcome is good until the next call.
  Outcome evaluate();
  Context& context() { return context_; }

 private:
  ProgramPtr program_;
  std::vector<std::pair<uint32_t, Value>> variables_;
  Activation activation_;
  Context context_;
};

}  // namespace portcullis::bench
