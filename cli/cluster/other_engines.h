// Policies of other engines, Kyverno and Gatekeeper, which look like those of Kubernetes and are none.
//
// Limits: known by their API group. Tested by tests/cli/bad_input.txt.
#pragma once

#include <span>
#include <string>

#include "manifests/object.h"

namespace portcullis {

// For messages that nothing in `objects` can be decided with: which policies of other engines are there, what is read
// in their place, and what nearly is. Empty if there are none.
std::string other_engines_hint(std::span<const InputObject> objects);

}  // namespace portcullis
