// Why policies and bindings do not match a request, for explanations.
//
// Idea: a review keeps none of this. An explanation makes and matches the scene again afterwards, with the
// predicates of the review (matching.h, scene.h), and names what does not fit. Of several rules it names the
// nearest: another resource or group counts more than another version, operation, scope or name. It names
// selectors if the rules fit. Limits: match conditions are expressions and not considered here.
// Tested by tests/cli/not_applied.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"

namespace portcullis {

struct Mismatch {
  std::string_view policy, binding;  // if `binding` is empty, the policy itself does not match
  std::string field;                 // the field of the binding or policy that does not match
  std::string text;
};

// The mismatches, by policy and binding. Bindings of a policy that does not match are skipped, and so are
// errors of matching, which the decision reports. Views live as long as the engine.
std::vector<Mismatch> mismatches(const Engine& engine, const AdmissionRequest& request);

}  // namespace portcullis
