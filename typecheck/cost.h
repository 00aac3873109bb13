// Cost: the arithmetic of cost and size estimates, the interface of a size estimator, and the named cost
// shapes.
//
// Idea: sizes and costs are ranges {min, max} of uint64 that saturate (cel-go checker/cost.go). A *shape* is
// the formula of a cost: a generic lambda without captures over a size algebra. Called with ranges it gives
// the static estimate, called with single numbers the run-time cost, so a row states its cost once:
//     inline constexpr auto kReceiverScan = [](const auto& sizes) { return sizes(0) * kStringTraversal; };
// `sizes(i)` is the size of argument i (the receiver is 0). Sizes can be added, multiplied with each other,
// and multiplied with a double factor (rounded up); `sizes.units(n)` is the number n in the same algebra.
// estimate_by<shape> below makes the static cost function of a shape; interpreter/functions/cost.h makes the
// run-time one.
// Tested by typecheck/cost_test.cc.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "grammar/ast.h"
#include "grammar/powers.h"

namespace portcullis {

class Type;

inline constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

// Base costs of cel-go (common/cost.go).
inline constexpr uint64_t kSelectAndIdentCost = 1, kListCreateCost = 10, kMapCreateCost = 30,
                          kStructCreateCost = 40;
inline constexpr double kStringTraversal = 0.1;  // cost of reading one character
inline constexpr double kRegexLength = 0.25;     // cost of one character of a pattern

// x + y and x * y, or kUnbounded where that is exceeded.
constexpr uint64_t saturating_add(uint64_t x, uint64_t y) { return x > kUnbounded - y ? kUnbounded : x + y; }
constexpr uint64_t saturating_multiply(uint64_t x, uint64_t y) {
  return y != 0 && x > kUnbounded / y ? kUnbounded : x * y;
}
// ceil(x * factor) in double arithmetic as cel-go computes it, or kUnbounded where that is exceeded.
inline uint64_t scale_up(uint64_t x, double factor) {
  double d = static_cast<double>(x);
  if (d > 0 && factor > 0 && d > kTwoTo64 / factor) return kUnbounded;
  double r = std::ceil(d * factor);
  return r >= kTwoTo64 ? kUnbounded : static_cast<uint64_t>(r);
}

// A range of sizes (code points, bytes, elements, entries) or of costs.
struct Range {
  uint64_t min = 0;
  uint64_t max = 0;

  bool operator==(const Range&) const = default;
  friend constexpr Range operator+(Range a, Range b) {
    return {saturating_add(a.min, b.min), saturating_add(a.max, b.max)};
  }
  friend constexpr Range operator*(Range a, Range b) {
    return {saturating_multiply(a.min, b.min), saturating_multiply(a.max, b.max)};
  }
  friend Range operator*(Range a, double factor) {
    return {scale_up(a.min, factor), scale_up(a.max, factor)};
  }
  // The smallest range that contains both.
  constexpr Range united(Range b) const { return {min < b.min ? min : b.min, max > b.max ? max : b.max}; }
};
constexpr Range fixed_range(uint64_t n) { return {n, n}; }
inline constexpr Range kUnknownRange = {0, kUnbounded};

using SizeEstimate = Range;
using CostEstimate = Range;

// One number with the operations of a Range; run-time costs compute with it.
struct Units {
  uint64_t n = 0;
  friend constexpr Units operator+(Units a, Units b) { return {saturating_add(a.n, b.n)}; }
  friend constexpr Units operator*(Units a, Units b) { return {saturating_multiply(a.n, b.n)}; }
  friend Units operator*(Units a, double factor) { return {scale_up(a.n, factor)}; }
};

// The result of a static cost function: the cost of the call without its arguments, and the size of its
// result if known.
struct CallEstimate {
  CostEstimate cost = {1, 1};
  std::optional<SizeEstimate> result_size = {};
};

// A node whose size is asked for.
struct SizeNode {
  // The path from a declared variable to the node: "x", field names, "@items", "@keys", "@values",
  // "@indices". Empty if there is none.
  std::span<const std::string_view> path;
  const Type* type = nullptr;
  const Expr* expr = nullptr;  // null if the node is the element of a list
  const Expr* list = nullptr;  // then: this list
};

// Tells the sizes of input, from hints or a schema (cel-go: CostEstimator.EstimateSize). Immutable while in
// use.
class SizeEstimator {
 public:
  virtual ~SizeEstimator() = default;
  virtual std::optional<SizeEstimate> estimate_size(const SizeNode& node) const = 0;
};

// The view that a static cost function has of a call. Argument 0 of a member call is the receiver.
class EstimateCall {
 public:
  virtual ~EstimateCall() = default;
  virtual std::string_view function() const = 0;
  virtual std::string_view overload_id() const = 0;
  virtual bool has_receiver() const = 0;
  virtual size_t count() const = 0;  // number of arguments, with the receiver

  // Size of argument i; {0, kUnbounded} if unknown.
  virtual SizeEstimate size(size_t i) = 0;
  // Size of argument i if it follows from the expression and the hints, else nothing.
  virtual std::optional<SizeEstimate> computed_size(size_t i) = 0;
  // Size of the elements of argument i: the estimator's answer for the path + "@items", else {0, kUnbounded}.
  virtual SizeEstimate element_size(size_t i) = 0;
  virtual const Type* type(size_t i) const = 0;
  // First type parameter of argument i's type (the element type of a list, the key type of a map), or null.
  virtual const Type* element_type(size_t i) const = 0;
  // Argument i if it is a literal, else null.
  virtual const Literal* literal(size_t i) const = 0;

  // The value of argument i if it is an int literal (a negative one counts as 0), else `otherwise`.
  uint64_t literal_size(size_t i, uint64_t otherwise) const {
    const Literal* l = literal(i);
    const int64_t* n = l ? std::get_if<int64_t>(l) : nullptr;
    return !n ? otherwise : *n < 0 ? 0 : static_cast<uint64_t>(*n);
  }
};

// The size algebra of static estimates, over an EstimateCall.
class StaticSizes {
 public:
  explicit StaticSizes(EstimateCall& call) : call_(call) {}
  Range operator()(size_t i) const { return call_.size(i); }
  static constexpr Range units(uint64_t n) { return fixed_range(n); }

 private:
  EstimateCall& call_;
};

// The static cost function of a shape, for Cost::estimate.
template <auto Shape>
CallEstimate estimate_by(EstimateCall& call) {
  return {Shape(StaticSizes(call))};
}

// The shapes. A name says which arguments the call reads; each row's documentation has the formula in words.
namespace shapes {
inline constexpr auto kOne = [](const auto& sizes) { return sizes.units(1); };
// Reads argument 0 or 1 once: ceil(size / 10).
inline constexpr auto kScan0 = [](const auto& sizes) { return sizes(0) * kStringTraversal; };
inline constexpr auto kScan1 = [](const auto& sizes) { return sizes(1) * kStringTraversal; };
// Reads both arguments: ceil((size0 + size1) / 10).
inline constexpr auto kScanBoth = [](const auto& sizes) { return (sizes(0) + sizes(1)) * kStringTraversal; };
// Searches for argument 1 in argument 0: ceil(size0 / 10) * ceil(size1 / 10).
inline constexpr auto kSearch = [](const auto& sizes) {
  return (sizes(0) * kStringTraversal) * (sizes(1) * kStringTraversal);
};
// Matches argument 0 with the pattern in argument 1: ceil((size0 + 1) / 10) * ceil(size1 / 4).
inline constexpr auto kMatch = [](const auto& sizes) {
  return ((sizes(0) + sizes.units(1)) * kStringTraversal) * (sizes(1) * kRegexLength);
};
// The number of elements of argument 1.
inline constexpr auto kSize1 = [](const auto& sizes) { return sizes(1) * 1.0; };
// 1 for the call, and 1 (kPairsTwice: 2) for each pair of an element of argument 0 and one of argument 1.
inline constexpr auto kPairs = [](const auto& sizes) { return sizes(0) * sizes(1) * 1.0 + sizes.units(1); };
inline constexpr auto kPairsTwice = [](const auto& sizes) {
  return sizes(0) * sizes(1) * 2.0 + sizes.units(1);
};
}  // namespace shapes

// Static cost of comparisons and equality of two operands of unknown kind: {1 if either can be non-empty,
// smaller maximum} / 10. Run time has ceil(min(size0, size1) / 10) instead, so this is no shape.
CallEstimate estimate_comparison(EstimateCall& call);
// Static costs that also state the size of the result, as in cel-go. The cost is kScan0's, kScanBoth's, or 1.
CallEstimate estimate_string_to_bytes(EstimateCall& call);
CallEstimate estimate_bytes_to_string(EstimateCall& call);
CallEstimate estimate_quote(EstimateCall& call);
CallEstimate estimate_concatenation(EstimateCall& call);       // strings, bytes
CallEstimate estimate_list_concatenation(EstimateCall& call);  // 1

// A cost by function name, for all overloads (Kubernetes' CostEstimator). Registered overload costs come
// before it, the costs of rows after it. nullopt or false: this function leaves the call to the next of them.
struct NamedCost {
  std::string_view function;
  std::optional<CallEstimate> (*estimate)(EstimateCall& call) = nullptr;
  // `overload_id` is empty if the checker found several candidates.
  bool (*actual)(std::string_view overload_id, const class Value* args, size_t count,
                 const class Value& result, uint64_t& cost) = nullptr;
};

}  // namespace portcullis
