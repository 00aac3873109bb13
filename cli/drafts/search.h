// Searches objects that pass and fail the validations of a policy, or that a mutating policy changes and leaves as
// they are: tries candidates with the engine itself.
//
// Idea: from the smallest object of a kind, one path at a time gets one of the values that the expressions suggest, and
// all paths of a plan (plans.h) get theirs. The object with the fewest failures is the start of the next round. A param
// that has to be made up is found in the same way, before each round: the one with which plans find most. Where the old
// object is read, candidates replace themselves and the start of the round, and at last it replaces them. Limits:
// kRounds, kMost, kMostOld, kMostSetups and kMostTries bound the search. Tested by tests/cli/test_init.txt.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/drafts/objects.h"
#include "cli/drafts/selectors.h"
#include "cli/messages/messages.h"

namespace portcullis::drafts {

// Who sends a request, and from where.
struct Setup {
  std::string user;                           // empty: the one of `review`
  std::vector<std::string> groups;            // of the user
  std::string namespace_name;                 // empty: any, or none
  std::vector<std::string> namespace_labels;  // NAMESPACE:KEY=VALUE
  auto operator<=>(const Setup&) const = default;
};

struct TriedObject {
  std::string json, operation, subresource;  // of its request
  std::string old;                           // JSON of the former state of an update; empty: the same object
  Setup setup;
  bool allowed = true;  // by all that decides
};
struct Failing {
  TriedObject object;
  std::string message;  // of the validation
  bool denied = false;
  size_t failures = 0;  // of all validations
};
struct Found {
  std::optional<TriedObject> passing;  // passes all validations
  std::map<int, Failing> failing;      // by validation
  std::optional<TriedObject> changed;  // by the mutating policy
  std::string changes;                 // JSON of `changes` of a suite; empty: paths cannot say them
  std::optional<TriedObject> same;     // not changed by it
  std::string param;                   // JSON of the param that was made up; empty: none
  size_t tried = 0;
  std::vector<Message> errors;  // if nothing could be tried: why
};

// The param of the policy, in JSON: one that is there, whose values are clues, or the smallest one, if it has to be
// made up. At most one of them; both empty: the policy needs none.
struct Param {
  std::string there, smallest;
  bool fixed = false;  // whether `smallest` is what another search made up, and stays
};

// `policies`: the policy and what decides with it. `selected`: the namespace of the objects, and labels that all have.
Found search(const InputObject& policy, const std::vector<InputObject>& policies, const ObjectKind& kind,
             const Reads& reads, const Selected& selected, const Param& param);

}  // namespace portcullis::drafts
