// Cost: the arithmetic of cost and size estimates, the interface an estimator sees, and
// the named cost shapes.
//
// Idea: sizes and costs are ranges {min, max} of uint64 that saturate (cel-go checker/cost.go). A *shape* is
// a captureless generic lambda over a size algebra: called with ranges it gives the static estimate, called
// with single numbers the run-time cost, so that a row states its cost once:
//     inline constexpr auto kReceiverScan = [](const auto& sizes) { return sizes(0) * kStringTraversal; };
// `sizes(i)` is the size of argument i (the receiver is 0); sizes multiply by each other, by a double factor
// (rounded up), and add; `sizes.units(n)` is the number n in the same algebra.
// estimate_by<shape> below is the static half; the run-time half (the same over values) is in
// interpreter/functions/cost.h. Tested by typecheck/cost_test.cc.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "grammar/ast.h"

namespace portcullis {

class Type;

inline constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

// Base costs of cel-go (common/cost.go).
inline constexpr uint64_t kSelectAndIdentCost = 1, kListCreateCost = 10, kMapCreateCost = 30,
                          kStructCreateCost = 40;
inline constexpr double kStringTraversal = 0.1;  // cost of reading one character
inline constexpr double kRegexLength = 0.25;     // cost of one character of a pattern

// x + y and x * y, at most kUnbounded.
constexpr uint64_t saturating_add(uint64_t x, uint64_t y) { return x > kUnbounded - y ? kUnbounded : x + y; }
constexpr uint64_t saturating_multiply(uint64_t x, uint64_t y) {
  return y != 0 && x > kUnbounded / y ? kUnbounded : x * y;
}
// ceil(x * factor) in double arithmetic as cel-go does it, at most kUnbounded.
inline uint64_t scale_up(uint64_t x, double factor) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
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
  // The smallest range that holds both.
  constexpr Range united(Range b) const { return {min < b.min ? min : b.min, max > b.max ? max : b.max}; }
};
constexpr Range fixed_range(uint64_t n) { return {n, n}; }
inline constexpr Range kUnknownRange = {0, kUnbounded};

using SizeEstimate = Range;
using CostEstimate = Range;

// One number with the operations of a Range: the run-time side of a shape.
struct Units {
  uint64_t n = 0;
  friend constexpr Units operator+(Units a, Units b) { return {saturating_add(a.n, b.n)}; }
  friend constexpr Units operator*(Units a, Units b) { return {saturating_multiply(a.n, b.n)}; }
  friend Units operator*(Units a, double factor) { return {scale_up(a.n, factor)}; }
};

// What a static cost function answers: the cost of the call without its arguments, and the size of the
// result where it is known.
struct CallEstimate {
  CostEstimate cost = {1, 1};
  std::optional<SizeEstimate> result_size = {};
};

// What is known of a node when its size is asked for.
struct SizeNode {
  // Path from a declared variable: "x", field names, "@items", "@keys", "@values", "@indices".
  // Empty: no such path.
  std::span<const std::string_view> path;
  const Type* type = nullptr;
  const Expr* expr = nullptr;  // null for the element of a list
};

// Sizes of input, from hints or from a schema (cel-go: CostEstimator.EstimateSize). Immutable while used.
class SizeEstimator {
 public:
  virtual ~SizeEstimator() = default;
  virtual std::optional<SizeEstimate> estimate_size(const SizeNode& node) const = 0;
};

// A call as its static cost function sees it. Argument 0 of a member call is the receiver.
class EstimateCall {
 public:
  virtual ~EstimateCall() = default;
  virtual std::string_view function() const = 0;
  virtual std::string_view overload_id() const = 0;
  virtual bool has_receiver() const = 0;
  virtual size_t count() const = 0;  // receiver included

  // Known size of argument i; {0, kUnbounded} if not known.
  virtual SizeEstimate size(size_t i) = 0;
  // The size that follows from the expression and the hints, without falling back to "unknown".
  virtual std::optional<SizeEstimate> computed_size(size_t i) = 0;
  // Size of the elements of argument i: what the estimator says of its path + "@items", else {0, kUnbounded}.
  virtual SizeEstimate element_size(size_t i) = 0;
  virtual const Type* type(size_t i) const = 0;
  // First type parameter of the type of argument i (element of a list, key of a map), or null.
  virtual const Type* element_type(size_t i) const = 0;
  // The literal that argument i is, or null.
  virtual const Literal* literal(size_t i) const = 0;

  // Value of an int literal (negative: 0), or `otherwise` if the argument is anything else.
  uint64_t literal_size(size_t i, uint64_t otherwise) const {
    const Literal* l = literal(i);
    const int64_t* n = l ? std::get_if<int64_t>(l) : nullptr;
    return !n ? otherwise : *n < 0 ? 0 : static_cast<uint64_t>(*n);
  }
};

// The size algebra over an EstimateCall.
class StaticSizes {
 public:
  explicit StaticSizes(EstimateCall& call) : call_(call) {}
  Range operator()(size_t i) const { return call_.size(i); }
  static constexpr Range units(uint64_t n) { return fixed_range(n); }

 private:
  EstimateCall& call_;
};

// The static cost function of a shape; fits Cost::estimate.
template <auto Shape>
CallEstimate estimate_by(EstimateCall& call) {
  return {Shape(StaticSizes(call))};
}

// Shapes. The name says which arguments are read; see docs of the rows for the formula in words.
namespace shapes {
inline constexpr auto kOne = [](const auto& sizes) { return sizes.units(1); };
// Reads argument 0 or 1 once: ceil(size / 10).
inline constexpr auto kScan0 = [](const auto& sizes) { return sizes(0) * kStringTraversal; };
inline constexpr auto kScan1 = [](const auto& sizes) { return sizes(1) * kStringTraversal; };
// Reads both: ceil((size0 + size1) / 10).
inline constexpr auto kScanBoth = [](const auto& sizes) { return (sizes(0) + sizes(1)) * kStringTraversal; };
// Looks for 1 in 0: ceil(size0 / 10) * ceil(size1 / 10).
inline constexpr auto kSearch = [](const auto& sizes) {
  return (sizes(0) * kStringTraversal) * (sizes(1) * kStringTraversal);
};
// Matches pattern 1 in 0: ceil((size0 + 1) / 10) * ceil(size1 / 4).
inline constexpr auto kMatch = [](const auto& sizes) {
  return ((sizes(0) + sizes.units(1)) * kStringTraversal) * (sizes(1) * kRegexLength);
};
// As many as argument 1 has elements.
inline constexpr auto kSize1 = [](const auto& sizes) { return sizes(1) * 1.0; };
// Every element of 0 with every element of 1, once or twice, and the call.
inline constexpr auto kPairs = [](const auto& sizes) { return sizes(0) * sizes(1) * 1.0 + sizes.units(1); };
inline constexpr auto kPairsTwice = [](const auto& sizes) {
  return sizes(0) * sizes(1) * 2.0 + sizes.units(1);
};
}  // namespace shapes

// Static cost of comparisons and equality of two operands of unknown kind: {1 if either can be non-empty,
// smaller maximum} / 10. Run time has ceil(min(size0, size1) / 10) instead, so this is no shape.
CallEstimate estimate_comparison(EstimateCall& call);
// Sizes of results as cel-go states them (the cost is kScan0's, kScanBoth's, or 1).
CallEstimate estimate_string_to_bytes(EstimateCall& call);
CallEstimate estimate_bytes_to_string(EstimateCall& call);
CallEstimate estimate_quote(EstimateCall& call);
CallEstimate estimate_concatenation(EstimateCall& call);       // strings, bytes
CallEstimate estimate_list_concatenation(EstimateCall& call);  // 1

// A cost by function name, whatever the overload (Kubernetes' CostEstimator). It comes after registered
// overload costs and before the costs of rows; nullopt or false: not answered here, go on.
struct NamedCost {
  std::string_view function;
  std::optional<CallEstimate> (*estimate)(EstimateCall& call) = nullptr;
  // `overload_id` is empty if the checker left several candidates.
  bool (*actual)(std::string_view overload_id, const class Value* args, size_t count,
                 const class Value& result, uint64_t& cost) = nullptr;
};

}  // namespace portcullis
