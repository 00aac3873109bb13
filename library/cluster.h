// Turns objects into the contents of an Engine of the public face.
//
// Idea: there are two halves. Rules are compiled (policies, bindings, definitions, scopes of kinds), and an
// engine shares them with those that Engine::exchange makes of it. Surrounding is what changes often in a
// cluster (params, namespaces, RBAC objects, objects that admission plugins read); Engine::exchange replaces
// it. Limits: kinds of params are fixed when policies are loaded. Tested by library/load_test.cc.
#pragma once

#include <portcullis/admission.h>

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "admission/admission.h"
#include "admission/authorization/rbac.h"
#include "admission/builtin/surroundings.h"
#include "library/manifests.h"
#include "library/problems.h"
#include "manifests/definitions.h"
#include "manifests/resources.h"

namespace portcullis {

// The compiled half, with the options and texts that it depends on.
struct Rules {
  v1::LoadOptions options;
  std::shared_ptr<const v1::Manifests::State> source;  // all views refer to it
  Arena arena;
  std::vector<InputObject> objects;  // with their namespaces settled
  Definitions definitions;
  Resources resources;
  std::unordered_set<std::string> param_kinds;  // "apps/v1 Deployment": existing kinds of params
  bool sees_managed_fields = false;             // whether an expression may read metadata.managedFields
  bool sees_namespaces = false;                 // whether a policy or binding may read labels of namespaces
  bool webhooks_see_namespaces = false;         // whether a webhook may
  std::vector<Served> served;  // what a server has of `resources`, in the order of find_served()

  // The resource or subresource; null if no built-in or defined one has these names.
  const Served* find_served(const GroupVersionResource& resource, std::string_view subresource) const;
  // Fills in `served`, once all definitions are known.
  void find_what_is_served();
};

struct Surrounding {
  explicit Surrounding(const v1::LoadOptions& options)
      : rbac(options.default_roles ? RbacAuthorizer::Start::Defaults : RbacAuthorizer::Start::Empty) {}

  std::shared_ptr<const v1::Manifests::State> source;
  Arena arena;
  std::vector<InputObject> objects;
  RbacAuthorizer rbac;
  builtin::Surroundings around;
};

}  // namespace portcullis

namespace portcullis::v1 {

struct Engine::State {
  std::shared_ptr<const Rules> rules;
  std::unique_ptr<const Surrounding> surrounding;
  std::shared_ptr<const portcullis::Engine> engine;
};

}  // namespace portcullis::v1
