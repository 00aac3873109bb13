// The Scale of a workload of a built-in kind, which shows a few members of it.
//
// Idea: the API server makes the old Scale of an update of the workload, and the new one of the workload with the
// number of replicas that was sent. So only that number counts, and a Scale has hardly any metadata.
// Source of behaviour: scaleFromDeployment and the like in kubernetes pkg/registry. Tested by
// tests/cli/subresource.txt.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

bool is_scale(const StructRow& row);
// The autoscaling/v1 Scale of a workload; of a Scale itself, without metadata that no Scale has.
Object* shown_as_scale(Arena& arena, Object& o);
// Makes `scale` the one that follows from `stored`, the former Scale, and the number of replicas in `scale`.
void complete_scale(Object& scale, Object& stored);

}  // namespace portcullis::builtin
