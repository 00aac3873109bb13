// Conflicts: updates that were made from another state than the stored one.
// And the resourceVersion of new objects, which have none.
//
// The API server compares the uid before it asks mutating policies, the resourceVersion of the mutated object before it
// validates that object.
// Limits: nothing is compared where one of the two manifests has no value. Clients that replace an object send the
// stored resourceVersion.
// Source of behaviour: apiserver pkg/registry/generic/registry/store.go (Update), pkg/storage/interfaces.go
// (Preconditions), pkg/storage/api_object_versioner.go; kubernetes
// pkg/kubeapiserver/default_storage_factory_builder.go (prefixes), pkg/registry/**/strategy.go
// (AllowUnconditionalUpdate). Tested by tests/cli/conflicts.txt, library/engine_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/value.h"
#include "manifests/status.h"

namespace portcullis {

// The members of metadata by which an update finds its object: as the manifest and the former state have them.
struct Preconditions {
  std::string_view uid, old_uid, version, old_version;
};
// Those of an update of `old` by `object`, as somebody wrote them. They refer to the two.
Preconditions preconditions_of(const Value& object, const Value& old);

// Why the API server does not store a new object after it is admitted: it has a resourceVersion. Empty if it does.
std::string_view refused_version(const AdmissionRequest& created);

// The conflict that the API server finds before it asks mutating policies; nothing if there is none. Code 409, or 422: no
// resourceVersion, where one is needed; or 500: one that is no number.
std::optional<ServerRefusal> find_uid_conflict(const AdmissionRequest& request, const Preconditions& known);
// The conflict that it finds after them; `mutated` is the object that they changed, null if they changed nothing.
std::optional<ServerRefusal> find_version_conflict(const AdmissionRequest& request,
                                                   const Preconditions& known, const Value& mutated);

}  // namespace portcullis
