// Resources in the rules of policies, as evidence for the resource names of kinds without a definition.
//
// Idea: without a definition, the resource of a kind is a guess, and a wrong guess admits objects that a rule
// means. Rules name resources: a name that fits the kind is the better guess. A name that fits no kind, while
// no rule fits one of the kinds, gives a warning. Tested by tests/cli/kinds.txt.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "cli/cluster/cluster.h"
#include "cli/requests/request.h"

namespace portcullis {

// Adds the names in rules of the policies and bindings of `cluster` to `resources`.
void add_rule_names(const ReviewCluster& cluster, Resources& resources);

// What is known of requests after they are forgotten. A thread has its own; together they say what one would.
class RequestTally {
 public:
  // The cluster must outlive it and not change.
  explicit RequestTally(const ReviewCluster& cluster);

  // Adds the requests of `maker`, of which the first has this number in the input.
  void add(const RequestMaker& maker, size_t number);
  void add(const RequestTally& other);

  // The namespaces of the requests.
  const std::set<std::string, std::less<>>& namespaces() const { return namespaces_; }
  // The former states that they replace.
  const std::unordered_set<const InputObject*>& replaced() const { return replaced_; }
  // Warns of rules that may mean one of the requests but do not match it, because its resource is a guess.
  void warn_of_missed_rules() const;

 private:
  struct Guess {
    size_t number;
    std::string kind, resource;
  };
  using Names = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;  // by group
  static bool has(const Names& names, std::string_view group, std::string_view resource);
  void add(const Request& request, size_t number);

  const ReviewCluster& cluster_;
  Names named_, given_;                                // resources in rules, and of requests
  std::map<std::string, Guess, std::less<>> guessed_;  // by group, the first that no rule names
  std::set<std::string, std::less<>> namespaces_;
  std::unordered_set<const InputObject*> replaced_;
};

}  // namespace portcullis
