// What selectors and the names in rules ask for: namespaces and objects that make a policy and its binding apply.
// Tested by tests/cli/test_init.txt.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifests/object.h"

namespace portcullis::drafts {

struct Selected {
  std::string namespace_name;                           // empty: any
  std::map<std::string, std::string> namespace_labels;  // beside its name
  std::map<std::string, std::string> object_labels;
  std::string object_name;  // empty: any

  // The same for objects that are namespaces: namespaceSelector asks for their own name and labels.
  Selected of_namespaces() const;
  // The labels of the namespace as --namespace-label and suites take them: NAMESPACE:KEY=VALUE.
  std::vector<std::string> label_flags() const;
};

// The least that passes the selectors of the policy and of its binding, which may be null, and has the name that their
// first rules ask for. Selectors that contradict each other have no answer; then the one that is read first counts.
Selected selected_by(const InputObject& policy, const InputObject* binding);

}  // namespace portcullis::drafts
