// Why policies and bindings do not match a request, for people.
//
// Idea: nothing of it is kept by a review. Whoever wants to know asks afterwards: the scene is made and matched once
// more, with the predicates that the review used (matching.h, scene.h), and what did not fit is named. Of several
// rules the nearest one is named: that of the same resource, before that of the same version, operation, scope and
// name. Selectors are named if the rules fit. Limits: match conditions are expressions, and not looked at here.
// Tested by tests/cli/not_applied.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"

namespace portcullis {

struct Mismatch {
  std::string_view policy, binding;  // without binding: the policy itself does not match
  std::string field;                 // of the binding or the policy: where the cause stands
  std::string text;
};

// By policy and binding; bindings of a policy that does not match are not looked at, nor what fails to match with an
// error, which the decision tells. Views live as long as the engine.
std::vector<Mismatch> mismatches(const Engine& engine, const AdmissionRequest& request);

}  // namespace portcullis
