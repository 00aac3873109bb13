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
// Sets the pod-level requests of resources that the pod limits: the sum of the containers, else the limit.
void default_pod_requests(Arena& arena, Object& pod);

}  // namespace portcullis::builtin
