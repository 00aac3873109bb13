// What the registry writes into the options of a deletion before it asks webhooks and policies.
//
// Source of behaviour: BeforeDelete in apiserver pkg/registry/rest/delete.go; CheckGracefulDelete in kubernetes
// pkg/registry/core/pod/strategy.go; Delete in kubernetes pkg/registry/core/namespace/storage/storage.go and
// apiextensions-apiserver pkg/registry/customresourcedefinition/etcd.go. Tested by tests/cli/deletions.txt.
#pragma once

#include "admission/objects/request.h"
#include "interpreter/values/arena.h"

namespace portcullis {

// The options of the DELETE, completed for the old object: the grace period of a Pod, and the uid that a Namespace or
// CustomResourceDefinition must have. Lives in `arena`, with parts of the request.
Value complete_deletion_options(const AdmissionRequest& request, Arena& arena);

}  // namespace portcullis
