// Objects of one identity whose copies among the files differ, so that one of them is not the cluster's.
//
// Idea: the last copy counts, as after `kubectl apply` of one file after the other; of copies with several uses
// (object_use.h) those of the last use. But a repository often has the states of several clusters, and then the verdict
// is about one of them only. So a difference counts if a policy, a binding or a webhook may look at it: labels of
// namespaces, params that a binding takes, roles where somebody asks the authorizer, the specs of definitions, and what
// admission plugins read. Limits: of what expressions read, only the words namespaceObject and authorizer are looked for.
// Tested by tests/cli/contradictions.txt.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cli/cluster/cluster.h"

namespace portcullis {

class Contradictions {
 public:
  // Objects are settled (namespaces.h).
  explicit Contradictions(const ReviewCluster& cluster);

  struct Found {
    const InputObject* counts;
    const InputObject* other;  // the last one that differs from it
    size_t others;             // how many do
    std::string_view with;     // "other labels"
    // "another Namespace shop is at a.yaml:1:1 with other labels; this one, the last, counts"
    std::string text() const;
  };
  // In the order of the objects.
  const std::vector<Found>& all() const { return all_; }

  bool of_namespace(std::string_view name) const { return namespaces_.contains(name); }
  // Whether the binding takes such a param.
  bool of_params(std::string_view binding, bool mutating) const {
    return bindings_[mutating].contains(binding);
  }
  bool of_roles() const { return roles_; }
  bool of_definition(std::string_view group, std::string_view kind) const {
    return definitions_.contains({group, kind});
  }

 private:
  void learn(const InputObject& object);

  std::vector<Found> all_;
  std::unordered_set<std::string_view> namespaces_;
  std::unordered_set<std::string_view> bindings_[2];  // validating and mutating
  std::set<std::pair<std::string_view, std::string_view>>
      definitions_;  // by group and kind of what they define
  bool roles_ = false;
};

}  // namespace portcullis
