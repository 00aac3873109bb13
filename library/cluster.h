// Objects -> what an Engine of the public face has.
//
// Idea: two halves. Rules are what is compiled (policies, bindings, definitions, scopes of kinds) and are shared by all
// engines that come out of one another; Surrounding is what clusters change all the time (params, namespaces, RBAC
// objects, what admission plugins look at) and is made anew by Engine::exchange.
// Limits: the kinds of params are those that the policies had when they were loaded. Tested by library/engine_test.cc.
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

// What loading takes for granted and what it has kept alive.
struct Rules {
  v1::LoadOptions options;
  std::shared_ptr<const v1::Manifests::State> source;  // views of it stand everywhere
  Arena arena;
  std::vector<InputObject> objects;  // in their namespaces
  Definitions definitions;
  Resources resources;
  std::unordered_set<std::string> param_kinds;  // "apps/v1 Deployment": those of the policies that exist
  bool sees_managed_fields = false;             // a policy may
};

struct Surrounding {
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
