// See conditions.h.
#include "admission/engine/conditions.h"

#include <algorithm>

#include "interpreter/values/builder.h"

namespace portcullis {
namespace {

// Joins errors as the aggregate error of Kubernetes prints them.
std::string_view aggregate(std::span<const std::string_view> texts, Arena& arena) {
  if (texts.size() == 1) return texts[0];
  TextBuilder out(arena);
  out.append('[');
  for (size_t i = 0; i < texts.size(); i++) {
    if (i > 0) out.append(", ");
    out.append(texts[i]);
  }
  out.append(']');
  return out.view();
}

}  // namespace

ConditionsVerdict judge_conditions(FailurePolicy failure, bool fits, std::span<const Evaluation> results,
                                   std::vector<std::string_view>& scratch, Arena& arena) {
  constexpr ConditionsVerdict kHold{true, {}}, kLeftOut{};
  if (!fits) {
    if (failure == FailurePolicy::Fail) return {false, kOutOfBudget};
    return failure == FailurePolicy::Ignore ? kLeftOut : kHold;
  }
  scratch.clear();
  for (const Evaluation& e : results) {
    if (!e.error.empty()) {
      if (std::find(scratch.begin(), scratch.end(), e.error) == scratch.end()) scratch.push_back(e.error);
    } else if (e.value.is_false()) {
      return kLeftOut;
    }
  }
  if (scratch.empty() || failure == FailurePolicy::Unknown) return kHold;
  if (failure == FailurePolicy::Ignore) return kLeftOut;
  return {false, aggregate(scratch, arena)};
}

}  // namespace portcullis
