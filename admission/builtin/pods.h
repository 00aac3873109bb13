// The changes that plugins and the registry make to a Pod. Source of behaviour: kubernetes
// plugin/pkg/admission, pkg/registry/core/pod. Tested by tests/decoded.cc.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// The plugins Priority and DefaultTolerationSeconds, for a new Pod.
void admit_pod(const Filling& with, Object& pod);
// The same for an update of `stored`, which keeps the priority.
void admit_pod_update(const Filling& with, Object& pod, Object& stored);
// The strategy: sets the status with the QoS class, and what feature gates, annotations and resources imply.
void prepare_pod(const Filling& with, Object& pod);
// Fills in the requests and limits of a Pod as a whole, if it has any: by those of its containers and by each other.
void default_pod_resources(Arena& arena, Object& pod);

}  // namespace portcullis::builtin
