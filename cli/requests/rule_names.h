// Resources that the rules of policies name, as evidence of what kinds without a definition are called.
//
// Idea: a kind tells its resource only by guess, and a wrong guess lets objects pass that a rule means. The
// rules themselves name resources: one that fits the kind is the better guess, and one that fits nothing,
// beside a kind that no rule fits, is worth a warning. Tested by tests/cli/kinds.txt.
#pragma once

#include <span>

#include "cli/cluster/cluster.h"
#include "cli/requests/request.h"

namespace portcullis {

// Makes the names in rules of the policies and bindings of `cluster` known to `resources`.
void add_rule_names(const ReviewCluster& cluster, Resources& resources);

// Warns of rules that may mean one of the requests and do not match it, as its resource is a guess.
void warn_of_missed_rules(const ReviewCluster& cluster, std::span<const Request> requests);

}  // namespace portcullis
