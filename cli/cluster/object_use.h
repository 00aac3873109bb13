// What the objects of files are for in a review. Tested by tests/cli/params.txt and tests/cli/rbac.txt.
#pragma once

#include <cstdint>

namespace portcullis {

// In order of precedence: of two objects of one identity that of the greater use is what the cluster has.
enum class ObjectUse : uint8_t {
  Reviewed,  // a manifest, of which a request is made
  Former,    // the former state of one
  Other,     // only read: a part of the cluster
};

}  // namespace portcullis
