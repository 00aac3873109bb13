// The scope of kinds of params that neither a table nor a CustomResourceDefinition has.
//
// Idea: the search for a param depends on whether its kind is namespaced. Without a definition, the files may
// still show it: an object of the kind or a paramRef has a namespace, a recorded request has one or none. The
// command line may also state it. Contradictory evidence stops the review. Without evidence, reviews run with
// both scopes, and only equal results are verdicts (scope_doubt.h). Limits: evidence shows what the author of
// the files means, not what a cluster has. Tested by tests/cli/param_scopes.txt.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/reading/input.h"
#include "manifests/resources.h"

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
  // Something in the files that only a kind of this scope has.
  struct Evidence {
    const InputObject* object;
    std::string path;
    std::string_view what;
  };
  static std::string place(const Evidence& evidence);
  struct Custom {
    std::string group, kind;
    std::vector<std::string> api_versions = {};
    std::vector<const InputObject*> policies = {};  // that name it
    bool referenced = false;                        // by a paramRef, so that params are searched
    std::optional<bool> given = {};  // whether namespaced, by the command line or its project's definition
    std::optional<Evidence> namespaced = {}, cluster = {};
    std::string name() const { return kind + "." + group; }
    bool contradictory() const { return !given && namespaced && cluster; }
    bool doubtful() const { return referenced && !given && !namespaced && !cluster; }
    bool is_namespaced() const { return given.value_or(namespaced.has_value()); }
  };
  void find_kinds(const ReviewCluster& cluster, const Resources& resources);
  void find_references(const ReviewCluster& cluster);
  void find_objects(Lists objects);
  bool take_stated(const std::string& text, Lists objects, Resources& resources);
  std::optional<Resource> stated_kind(std::string_view word, Lists objects, const Resources& resources,
                                      std::string& error) const;
  Custom* custom(std::string_view group, std::string_view kind);

  std::vector<Custom> customs_;
  std::map<std::pair<std::string, std::string>, bool> stated_;  // by group and kind
};

}  // namespace portcullis
