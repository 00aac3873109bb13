// The resources that rules reach, and the kinds of those of a mutating policy with the known facts about their objects.
//
// Idea: every served resource is matched against the rules, as a request for it would be. Limits: rules of
// bindings and selectors are ignored. Tested by tests/cli/mutation_checks.txt,
// tests/cli/test_init.txt.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "admission/crd/definition.h"
#include "admission/matching/matching.h"
#include "admission/patching/kind.h"
#include "manifests/object.h"
#include "manifests/resources.h"

namespace portcullis {

// Whether a rule lets an operation on the resource through that no exclusion keeps away, whatever the object is called.
bool reaches(const MatchRules& match, const ResourceRule& rule, const Served& served, Operation operation);

struct ReachedKind {
  std::string group, version, kind, resource;  // empty kind: any custom resource
  patching::KindSchema schema;                 // has views of the texts
};

struct ReachedKinds {
  std::deque<ReachedKind> kinds;
  // Resources in rules whose kind is unknown ("widgets.example.com"), with the paths of the rules.
  struct Unknown {
    std::string name, path;
  };
  std::vector<Unknown> unknown;
};

ReachedKinds reached_kinds(const InputObject& policy, const Resources& resources,
                           const std::vector<std::shared_ptr<const crd::Definition>>& definitions);

}  // namespace portcullis
