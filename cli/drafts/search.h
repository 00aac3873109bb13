// Searches objects that pass and fail the validations of a policy: tries candidates with the engine itself.
//
// Idea: from the smallest object of a kind, one path at a time gets one of the values that the expressions suggest. The
// object with the fewest failures is the start of the next round. Limits: kRounds and kMost bound the search; params are
// not made up. Tested by tests/cli/test_init.txt.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/drafts/objects.h"

namespace portcullis::drafts {

struct Failing {
  std::string object;   // JSON
  std::string message;  // of the validation
  bool denied = false;
  size_t failures = 0;  // of all validations
};
struct Found {
  std::optional<std::string> passing;  // passes all validations
  std::map<int, Failing> failing;      // by validation
  size_t tried = 0;
};

// `policies`: the policy and what decides with it.
Found search(const InputObject& policy, const std::vector<InputObject>& policies, const ObjectKind& kind,
             const Reads& reads);

}  // namespace portcullis::drafts
