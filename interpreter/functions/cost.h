// Run-time costs: the sizes of values, and the run-time side of the cost shapes of typecheck/cost.h.
//
// Idea: a row says `.cost = {actual_by<shapes::kScan0>, estimate_by<shapes::kScan0>}`; both use the same
// lambda.
// Source of behaviour: cel-go interpreter/runtimecost.go.
// Tested by tests/language/costs.cel, tests/conformance (runtimecost).
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpreter/values/value.h"
#include "typecheck/cost.h"

namespace portcullis {

// The number of code points of a text; each byte of invalid UTF-8 counts 1, as in Go.
uint64_t count_code_points(std::string_view text);

// cel-go's actualSize: the code points of a string, the bytes of bytes, the elements of a list, the entries
// of a map, the size of the value in an optional, the size that an opaque value's class gives; 1 for all else.
uint64_t size_of(const Value& v);
// The same for extension libraries and Kubernetes: an optional counts 1.
uint64_t outer_size_of(const Value& v);

// The size algebra over the arguments of a call. `Size` is one of the two functions above.
template <uint64_t (*Size)(const Value&)>
class ActualSizes {
 public:
  explicit ActualSizes(const Value* args) : args_(args) {}
  Units operator()(size_t i) const { return {Size(args_[i])}; }
  static constexpr Units units(uint64_t n) { return {n}; }

 private:
  const Value* args_;
};

// The run-time cost function of a shape, for Cost::actual.
template <auto Shape>
uint64_t actual_by(const Value* args, size_t, const Value&) {
  return Shape(ActualSizes<size_of>(args)).n;
}

// The same for cel-go's extension libraries (ext/costs.go), which do not look into optionals.
template <auto Shape>
uint64_t outer_by(const Value* args, size_t, const Value&) {
  return Shape(ActualSizes<outer_size_of>(args)).n;
}

// ceil(min(size0, size1) / 10): the cost of equality, and of ordering texts.
uint64_t actual_comparison(const Value* args, size_t count, const Value& result);

}  // namespace portcullis
