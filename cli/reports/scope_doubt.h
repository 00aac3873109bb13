// Reviews that depend on a scope that nobody knows (param_scopes.h).
//
// Idea: the answers are those with all kinds in doubt cluster-scoped; each is compared with that of a second
// engine, in which they are namespaced. A policy has one paramKind, so what is the same in both is the same
// for every mixture. Tested by tests/cli/param_scopes.txt.
#pragma once

#include <memory>
#include <string>

#include "admission/admission.h"
#include "cli/cluster/param_scopes.h"

namespace portcullis {

class ScopeDoubt {
 public:
  // Nothing is in doubt.
  ScopeDoubt() = default;
  ScopeDoubt(std::shared_ptr<const Engine> namespaced, const Authorizer* authorizer);

  // Empty if the answer does not depend on the scope, else what it is either way.
  std::string differs(const AdmissionRequest& request, const Decision& cluster_scoped,
                      const ParamScopes& scopes);

 private:
  std::shared_ptr<const Engine> engine_;
  std::unique_ptr<ReviewContext> context_;
  Decision decision_;
};

}  // namespace portcullis
