// Policies that are compiled for loading while they are validated (cluster_problems.cc), until the engine takes them
// (cluster.cc).
#pragma once

#include <unordered_map>

#include "admission/engine/objects_to_load.h"
#include "admission/engine/prepared.h"
#include "manifests/object.h"

namespace portcullis {

struct PreparedObjects {
  struct Made {
    PreparedPlace place;
    bool sees_managed_fields;
  };
  explicit PreparedObjects(SharedParses* parses) : policies(kStoredExpressions, parses) {}

  PreparedPolicies policies;
  std::unordered_map<const InputObject*, Made> made;
};

}  // namespace portcullis
