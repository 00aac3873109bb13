// What the registry allocates for a Service, and what it keeps or clears at an update: addresses, IP families, node
// ports.
//
// Idea: an update takes allocated values that are not sent from the stored Service, allocates what is still missing as
// a creation does, and clears what the new type has no use for if it is as it was stored. Limits: a cluster with IPv4
// alone; the first address and the first free ports stand for those that a server would choose.
// Source of behaviour: kubernetes pkg/registry/core/service (strategy.go, storage/storage.go, storage/alloc.go).
// Tested by tests/cli/updates.txt.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Fills in a Service that is created.
void fill_service(const Filling& with, Object& service);
// Fills in a Service that takes the place of `stored`, into which nothing is written.
void keep_service(const Filling& with, Object& service, Object& stored);

}  // namespace portcullis::builtin
