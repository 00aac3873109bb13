// What the objects of files are for in a review. Tested by tests/cli/params.txt and tests/cli/rbac.txt.
#pragma once

#include <cstdint>

namespace portcullis {

// Of two objects with the same identity, the cluster has the one whose use comes later here; of definitions see
// ReviewCluster::add_definition.
enum class ObjectUse : uint8_t {
  Reviewed,  // a manifest, of which a request is made
  Former,    // the former state of one
  Other,     // only read: a part of the cluster
};

}  // namespace portcullis
