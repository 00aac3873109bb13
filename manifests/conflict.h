// Conflicts: updates that were made from another state than the stored one. The API server answers them with code 409.
//
// What manifests do not say of either state is not compared.
// Source of behaviour: apiserver pkg/registry/generic/registry/store.go (Update), pkg/storage/interfaces.go (Preconditions),
// kubernetes pkg/kubeapiserver/default_storage_factory_builder.go (prefixes). Tested by tests/cli/conflicts.txt,
// library/engine_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis {

struct Conflict {
  std::string_view field;   // that differs: "metadata.uid" or "metadata.resourceVersion"
  std::string message;      // the API server's
  std::string status = {};  // its Status: JSON (manifests/status.h)
  // Whether the API server finds it before it asks mutating policies. Else it does before it validates the object.
  bool before_mutation = false;
};

// The conflict of `request`, an update of `old` by `object`, both as somebody wrote them; nothing if there is none.
std::optional<Conflict> find_conflict(const AdmissionRequest& request, const Value& object, const Value& old);

// The message if the resourceVersion is another one.
std::string modified_message(const AdmissionRequest& request);

}  // namespace portcullis
