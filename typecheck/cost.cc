// See cost.h.
#include "typecheck/cost.h"

#include <algorithm>

namespace portcullis {

CallEstimate estimate_comparison(EstimateCall& call) {
  uint64_t largest = std::min(call.size(0).max, call.size(1).max);
  return {Range{largest > 0 ? 1u : 0u, largest} * kStringTraversal};
}

CallEstimate estimate_string_to_bytes(EstimateCall& call) {
  Range size = call.size(0);
  // A character has up to four bytes. cel-go lets this product overflow.
  return {size * kStringTraversal, Range{size.min, size.max * 4}};
}

CallEstimate estimate_bytes_to_string(EstimateCall& call) {
  Range size = call.size(0);
  return {size * kStringTraversal, Range{size.min / 4, size.max}};
}

CallEstimate estimate_quote(EstimateCall& call) {
  Range size = call.size(0);
  // Every character may need an escape. These sums overflow as well.
  return {size * kStringTraversal, Range{size.min + 2, size.max * 2 + 2}};
}

CallEstimate estimate_concatenation(EstimateCall& call) {
  Range size = call.size(0) + call.size(1);
  return {size * kStringTraversal, size};
}

CallEstimate estimate_list_concatenation(EstimateCall& call) {
  return {fixed_range(1), call.size(0) + call.size(1)};
}

}  // namespace portcullis
