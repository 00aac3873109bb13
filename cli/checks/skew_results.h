// What policies decide on the API servers of several minors, on given manifests.
//
// Idea: an engine is loaded with the libraries of each minor that differs, since a server evaluates what is stored with
// all that it has. Every manifest is then mutated, validated by its definition, and reviewed. The outcome of each expression
// of a policy is kept.
// Limits: what a definition's rules came to shows in the verdict alone; a policy without a binding gets one that denies;
// mutated objects of built-in kinds are not defaulted again before validation.
// Tested by tests/cli/skew.txt.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "admission/admission.h"
#include "cli/checks/skew.h"

namespace portcullis {

// What the policies together decide on a manifest, by server.
struct ManifestVerdicts {
  const InputObject* manifest = nullptr;
  // "allowed", or the message of the denial, or why its definition refuses it, or why it is unknown.
  std::vector<std::string> on;
};

// A manifest and its request, as mutating policies see it.
struct ManifestRequest {
  const InputObject* manifest = nullptr;
  AdmissionRequest attributes;
  const InputObject* definition = nullptr;  // of its kind; null: none, or it is an AdmissionReview
};

// Where the requests come from: the namespaces and kinds of params that the cluster has.
struct SkewSetting {
  const std::unordered_set<std::string_view>& namespaces;
  const std::vector<ParamKindInfo>& params;
  Arena& arena;
};

// A definition as a server of 1.`minor` reads it, which has stored it.
std::shared_ptr<const crd::Definition> definition_on(const InputObject& definition, uint32_t minor);

// Runs the requests with the policies of the cluster on each server and adds the results to `objects`. Fails if the
// policies cannot be loaded.
Result<std::vector<ManifestVerdicts>> skew_results(ReviewCluster& cluster,
                                                   std::span<const ManifestRequest> requests,
                                                   const SkewSetting& setting, ServerRange range,
                                                   std::vector<ObjectSkew>& objects);

}  // namespace portcullis
