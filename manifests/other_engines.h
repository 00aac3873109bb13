// Policies of other engines, Kyverno and Gatekeeper, which look like those of Kubernetes and are none.
//
// Limits: known by their API group. Tested by tests/cli/bad_input.txt and library/load_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "manifests/object.h"
#include "manifests/roles.h"

namespace portcullis {

// For messages that nothing in `objects` can be decided with: which policies of other engines are there, what is read
// in their place, and what nearly is. Empty if there are none.
std::string other_engines_hint(std::span<const InputObject> objects);

// That such policies among `objects`, beside others that decide, decide nothing. Params of the policies in `given`
// are no policies.
struct OtherEngines {
  const InputObject* first;
  std::string text, hint;
};
std::optional<OtherEngines> other_engines(std::span<const InputObject> objects, const GivenPolicies& given);

}  // namespace portcullis
