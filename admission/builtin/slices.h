// The topology of EndpointSlices, which clients of v1 cannot write: the registry drops it.
// Source of behaviour: dropTopologyOnV1 in kubernetes pkg/registry/discovery/endpointslice. Tested by
// tests/cli/updates.txt.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Drops deprecatedTopology from the endpoints of a new slice.
void fill_slice(const Filling& with, Object& slice);
// The same for an update, unless it leaves the endpoints as they are stored. The name of a node that the stored
// topology has becomes nodeName.
void keep_slice(const Filling& with, Object& slice, Object& stored);

}  // namespace portcullis::builtin
