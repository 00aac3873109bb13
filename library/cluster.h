// Turns objects into the contents of an Engine of the public face.
//
// Idea: there are two halves. Rules are compiled (policies, bindings, definitions, scopes of kinds), and an
// engine shares them with those that Engine::exchange makes of it. Surrounding is what changes often in a
// cluster: params and namespaces are in the engine of the rooms, RBAC objects and objects that admission plugins read
// are here. Engine::exchange replaces it, and Engine::change shares what does not change. Limits: kinds of params are
// fixed when policies are loaded; a change of one object of a Surrounding reads all of them again. Tested by
// library/load_test.cc.
#pragma once

#include <portcullis/admission.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "admission/admission.h"
#include "admission/authorization/rbac.h"
#include "admission/builtin/surroundings.h"
#include "library/manifests.h"
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

// An RBAC object, or one that admission plugins read.
struct SurroundingObject {
  explicit SurroundingObject(size_t bytes) : arena(bytes) {}
  Arena arena;  // of `value`
  Value value;
  std::string name_space;
};
// By group, kind, namespace and name.
using SurroundingObjects = std::map<std::array<std::string, 4>, std::shared_ptr<const SurroundingObject>>;

struct Surrounding {
  Surrounding(const v1::LoadOptions& options, SurroundingObjects given);

  const SurroundingObjects objects;
  Arena arena;
  RbacAuthorizer rbac;
  builtin::Surroundings around;
};

}  // namespace portcullis

namespace portcullis::v1 {

struct Engine::State {
  std::shared_ptr<const Rules> rules;
  std::shared_ptr<const Surrounding> surrounding;
  std::shared_ptr<const portcullis::Engine> engine;
};

}  // namespace portcullis::v1
