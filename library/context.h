// The contents of a Context of the public face: the memory of one thread's reviews.
#pragma once

#include <portcullis/admission.h>

#include <string>
#include <vector>

#include "admission/admission.h"
#include "admission/authorization/authorizer.h"
#include "admission/mutation.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "manifests/object.h"

namespace portcullis::v1 {

// Forwards checks to the embedder's authorizer.
class AskedAuthorizer final : public portcullis::Authorizer {
 public:
  const v1::Authorizer* target = nullptr;
  portcullis::AuthorizationAnswer authorize(const AuthorizationAttributes& asked,
                                            Arena& arena) const override;
};

struct Context::State {
  ReviewContext review;
  AskedAuthorizer authorizer;
  Arena arena;  // of requests made by the library; each resets it
  JsonReader reader;
  portcullis::Decision inner;
  Mutation mutation;
  portcullis::Value before;  // the object before mutation
  Decision decision;
  AdmissionRequest request;
  std::vector<portcullis::UserInfo::Extra> extra;
  std::vector<std::string_view> causes, warnings, unknown_fields;
  std::vector<ValidationResult> results;
  std::vector<MutationResult> mutations;
  std::string status, answer;

  // The decision of the review, in the types of the face.
  const Decision& show();
  // A refusal before any policy; the texts must outlive the decision.
  const Decision& refuse(int code, std::string_view reason, std::string_view message);
  // The refusal by a mutation.
  const Decision& refuse_mutation();
};

}  // namespace portcullis::v1
