// Reviews that depend on an unknown scope (param_scopes.h).
//
// Idea: in the answers all kinds in doubt are cluster-scoped. Each answer is compared with that of a second
// engine, in which they are namespaced. A policy has one paramKind, so if both answers agree, every mixture
// agrees. Tested by tests/cli/param_scopes.txt.
#pragma once

#include <memory>
#include <string>

#include "admission/admission.h"
#include "cli/cluster/param_scopes.h"

namespace portcullis {

class ScopeDoubt {
 public:
  // Belongs to a thread. `namespaced` is null if no scope is in doubt.
  ScopeDoubt(std::shared_ptr<const Engine> namespaced, const Authorizer* authorizer);

  // Empty if the answer does not depend on the scope, else the two answers.
  std::string differs(const AdmissionRequest& request, const Decision& cluster_scoped,
                      const ParamScopes& scopes);

 private:
  std::shared_ptr<const Engine> engine_;
  std::unique_ptr<ReviewContext> context_;
  Decision decision_;
};

}  // namespace portcullis
