// What plugins and the registry make of a new Pod. Tested by tests/decoded.cc.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Priority, DefaultTolerationSeconds.
void admit_pod(const Filling& with, Object& pod);
// The same in an update of `stored`: the priority is what it was.
void admit_pod_update(const Filling& with, Object& pod, Object& stored);
// The strategy: status with the class of service, and what follows from gates, annotations and resources.
void prepare_pod(const Filling& with, Object& pod);

}  // namespace portcullis::builtin
