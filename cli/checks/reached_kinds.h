// Which kinds the rules of a mutating policy reach, with what is known of their objects.
//
// Idea: every resource that is served is held against the rules, as a request for it would be.
// Limits: rules of bindings and selectors are not looked at. Tested by tests/cli/mutation_checks.txt.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "admission/crd/object.h"
#include "admission/patching/kind.h"
#include "cli/reading/input.h"
#include "manifests/resources.h"

namespace portcullis {

struct ReachedKind {
  std::string group, version, kind, resource;  // kind empty: any custom resource
  patching::KindSchema schema;                 // with views of the texts
};

struct ReachedKinds {
  std::deque<ReachedKind> kinds;
  // Resources that rules name of which nobody knows a kind ("widgets.example.com"), with the places of the rules.
  struct Unknown {
    std::string name, path;
  };
  std::vector<Unknown> unknown;
};

ReachedKinds reached_kinds(const InputObject& policy, const Resources& resources,
                           const std::vector<std::shared_ptr<const crd::Definition>>& definitions);

}  // namespace portcullis
