// The scope of kinds of params that no table and no CustomResourceDefinition tells.
//
// Idea: where a param is looked for depends on whether its kind is namespaced. Without a definition the files
// may still show it: an object of the kind or a paramRef names a namespace, a recorded request has one or has
// none; or the command line says it. Where they contradict each other nothing is decided. Where nothing tells,
// reviews are made both ways, and only what comes out the same either way is a verdict (scope_doubt.h).
// Limits: evidence is what the author of the files meant, not what a cluster has. Tested by
// tests/cli/param_scopes.txt.
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

  // Looks at the policies and bindings of `cluster` and at all objects, before they are settled (namespaces.h),
  // and makes what it finds known to `resources`. `stated`: KIND=SCOPE, of the command line. False, and said,
  // if one of those cannot be.
  bool find(const ReviewCluster& cluster, Lists objects, std::span<const std::string> stated,
            Resources& resources);

  // Kinds whose evidence is contradictory; with `only_known` all, as none is known to exist.
  std::vector<PolicyProblem> problems(bool only_known) const;
  // What is taken for granted, each with why. To be asked while the resources live.
  void say_notes(const Resources& resources) const;

  // The kinds of params that nobody defines, with their scopes; those in doubt have the one given.
  std::vector<ParamKindInfo> kinds(bool doubtful_namespaced) const;
  // The kinds in doubt, "Limit.example.com and Team.example.com"; empty if there are none.
  std::string in_doubt() const;
  // What to say on the command line about the kinds in doubt.
  std::string advice() const;

 private:
  // Something in the files that a kind of this scope has.
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
    bool referenced = false;                        // by a paramRef, so that params are looked for
    std::optional<bool> given = {};  // whether namespaced, by the command line or as its project defines it
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
