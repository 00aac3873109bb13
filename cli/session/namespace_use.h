// Whether what a request may reach looks at labels of its namespace, or takes params of which the files have several.
//
// Idea: if these labels are only assumed, so is the answer of a namespaceSelector; so a policy, binding or webhook
// counts if all else of its rules and selectors matches. Limits: match conditions are not considered. Tested by
// tests/cli/gates.txt, tests/cli/contradictions.txt.
#pragma once

#include <string_view>
#include <unordered_set>

#include "admission/admission.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/contradictions.h"

namespace portcullis {

class NamespaceUse {
 public:
  // What the cluster decides with; it must outlive this.
  void learn(const ReviewCluster& cluster);
  // `asked`: the request as mutating policies see it first; `validated`: as validating ones see it.
  bool by(const Engine& engine, const AdmissionRequest& asked, const AdmissionRequest& validated) const;
  // Whether a binding takes params that contradict each other.
  static bool takes(const Contradictions& params, const Engine& engine, const AdmissionRequest& asked,
                    const AdmissionRequest& validated);

 private:
  bool selects_by_sort(const Engine& engine, const AdmissionRequest& request, bool mutating) const;

  std::unordered_set<std::string_view>
      policies_[2];   // that look at namespaces themselves, validating and mutating
  bool any_ = false;  // whether anything does
};

}  // namespace portcullis
