// Amounts of resources: what containers and Pods request, and what limits them.
//
// Idea: containers that run at the same time add up; an init container runs beside those before it that stay (with
// restartPolicy Always), and the largest of these moments counts. Source of behaviour: k8s.io/component-helpers
// resource/helpers.go (AggregateContainerRequests), kubernetes plugin/pkg/admission/limitranger. Tested by
// tests/oracle/plugins.py, tests/cli/normalize.txt.
#pragma once

#include <map>
#include <string_view>

#include "admission/scalars/quantity.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis::builtin {

// By the names of resources. Names and quantities refer to the objects and the arena from which they are made.
using Amounts = std::map<std::string_view, Quantity>;

// Those of a map of texts; none if `list` is no map.
Amounts amounts_of(Arena& arena, const Value& list);

// The amounts of the containers of a Pod together.
class PodAmounts {
 public:
  explicit PodAmounts(Arena& arena) : arena_(arena) {}
  void add_container(const Amounts& amounts);
  // In the order of the Pod.
  void add_init_container(const Amounts& amounts, bool stays);
  Amounts total() const;

 private:
  Arena& arena_;
  Amounts running_, staying_,
      initial_;  // at the same time; of these, of init containers; the most before they start
};

}  // namespace portcullis::builtin
