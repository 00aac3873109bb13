// Plans: what has to hold at which paths, so that an expression is true, or false.
//
// Idea: from the wanted outcome down. For a && b to be true both plans are joined; for it to be false a fails, or a
// holds and b fails. An element of a list that a loop, filter or map looks at is one more path. At the bottom a
// comparison or a test of a text says which value a path has: a constant, one beside it, a text that the regular
// expression matches. A plan is a guess that the engine judges, so what is not understood asks for nothing. Limits: all
// elements of a list get the same values; kMostPlans bounds the alternatives of each expression. Tested by
// tests/cli/test_init.txt, tests/cli/test_definitions.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/drafts/constants.h"
#include "cli/drafts/objects.h"
#include "cli/drafts/reads.h"
#include "manifests/object.h"

namespace portcullis::drafts {

inline constexpr std::string_view kOldRoot = "oldObject", kObjectRoot = "object", kParamsRoot = "params",
                                  kRequestRoot = "request", kNamespaceRoot = "namespaceObject";

struct Want {
  Path path;           // begins with one of the roots
  std::string json;    // empty: nothing is there
  bool there = false;  // whether anything will do; `json` is put there if there is nothing
  // If not empty, the value is one with the relation to what is at this path, when all else is in its place; `json` if
  // nothing is there.
  Path from = {};
  Relation relation = Relation::Equals;
};
using Plan = std::vector<Want>;

// The object (JSON) with what the plan wants below a root; empty if that cannot be. `other`: what is at the other
// root, of the new and the old object; empty: the object as it is. `more_keys`: whether a map keeps the keys that it
// has beside one that is looped over.
std::string applied(const std::string& object, const Plan& plan, std::string_view root,
                    const ObjectKind& kind, const std::string& other = {}, bool more_keys = false);
// Whether it wants a key that is looped over.
bool has_keys(const Plan& plan);

// Plans for requests that match the policy, of which some pass all validations, and some fail one of them; or that the
// mutations of a policy look for. `param`: JSON of the param that is known; empty: none.
std::vector<Plan> plans_of(const InputObject& policy, const ObjectKind& kind, const std::string& param);

// Plans for objects of a definition for which a rule of its schema is true, or false. `self`: the path of its self.
std::vector<Plan> plans_of_rule(std::string_view rule, const Path& self, const ObjectKind& kind,
                                bool outcome);

}  // namespace portcullis::drafts
