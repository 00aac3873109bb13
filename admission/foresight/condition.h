// Whether a match condition or validation is true, is false or fails for every request of a sort.
//
// Idea: the condition is evaluated with what is known about the request; the rest is an unknown value, which stays
// unknown unless the rest of the expression decides the result (interpreter/run/unknown_test.cc). So a result that is
// not unknown holds for every request. Constants such as `1 == 2` need nothing else. Objects of built-in kinds have the
// fields of their Go structs and no others. Limits: an object that is used as a whole (`object == oldObject`,
// `size(object)`) is unknown, and so are `variables`, `params`, `namespaceObject` and `authorizer`.
// Not thread-safe. Tested by admission/foresight/condition_test.cc, tests/cli/conditions.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/foresight/known_request.h"
#include "interpreter/cel.h"

namespace portcullis::foresight {

struct Foreseen {
  enum class Result : uint8_t { Open, True, False, Fails };
  Result result = Result::Open;
  std::string error;  // if it fails: cel-go's text
  uint64_t cost = 0;  // of the evaluation
};

// An evaluation that costs more is given up, with an open result: what real conditions decide without a request costs
// less than a hundredth of it.
inline constexpr uint64_t kMostCost = 20'000;

// A condition, prepared. Results do not depend on the order of calls.
class Condition {
 public:
  // `expression` is checked, and of the environment of match conditions.
  explicit Condition(ExpressionPtr expression);
  Foreseen judge(const KnownRequest& request, Context& context) const;

 private:
  // A use of `object`, `oldObject` or `request` and the keys behind it: `object.metadata.name`.
  struct Use {
    std::string_view root;
    std::vector<std::string_view> keys;
  };
  static bool read_use(const Expr& e, Use& out);
  void collect(const Expr& e, bool as_container);

  ExpressionPtr expression_;
  ProgramPtr program_;      // null: it cannot be evaluated
  std::vector<Use> whole_;  // uses that need the value itself, not a field of it
};

}  // namespace portcullis::foresight
