// The scope of kinds of params that neither a table nor a CustomResourceDefinition has.
//
// Idea: the files may show it (undefined_params.h), or the command line states it. Contradictory evidence stops the
// review. Without evidence, reviews run with both scopes, and only equal results are verdicts (scope_doubt.h).
// Tested by tests/cli/param_scopes.txt.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/reading/input.h"
#include "manifests/resources.h"
#include "manifests/undefined_params.h"

namespace portcullis {

class ParamScopes {
 public:
  using Lists = std::span<std::vector<InputObject>* const>;

  // Searches the policies and bindings of `cluster` and all objects, before they are settled (namespaces.h),
  // and adds the scopes it finds to `resources`. `stated`: KIND=SCOPE from the command line. If one of these
  // is invalid, prints an error and returns false.
  bool find(const ReviewCluster& cluster, Lists objects, std::span<const std::string> stated,
            Resources& resources);

  // Kinds with contradictory evidence; if `only_known`, all kinds, since none is known to exist.
  std::vector<PolicyProblem> problems(bool only_known) const;
  // Prints the assumptions, each with its reason. `resources` must still exist.
  void say_notes(const Resources& resources) const;

  // The undefined kinds of params, with their scopes; kinds in doubt have the given one.
  std::vector<ParamKindInfo> kinds(bool doubtful_namespaced) const;
  // The kinds in doubt, "Limit.example.com and Team.example.com"; empty if there are none.
  std::string in_doubt() const;
  // The option that would settle the kinds in doubt.
  std::string advice() const;

 private:
  bool take_stated(const std::string& text, Lists objects, Resources& resources);

  std::vector<UndefinedKind> kinds_;
  std::map<std::pair<std::string, std::string>, bool> stated_;  // by group and kind
};

}  // namespace portcullis
