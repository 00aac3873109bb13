// Resources in the rules of policies, as evidence for the resource names of kinds without a definition.
//
// Idea: without a definition, the resource of a kind is a guess, and a wrong guess admits objects that a rule
// means. Rules name resources: a name that fits the kind is the better guess. A name that fits no kind, while
// no rule fits one of the kinds, gives a warning. Tested by tests/cli/kinds.txt.
#pragma once

#include <span>

#include "cli/cluster/cluster.h"
#include "cli/requests/request.h"

namespace portcullis {

// Adds the names in rules of the policies and bindings of `cluster` to `resources`.
void add_rule_names(const ReviewCluster& cluster, Resources& resources);

// Warns of rules that may mean one of the requests but do not match it, because its resource is a guess.
void warn_of_missed_rules(const ReviewCluster& cluster, std::span<const Request> requests);

}  // namespace portcullis
