// The contents of a Context of the public face: the memory of one thread's reviews.
// Tested by library/engine_test.cc.
#pragma once

#include <portcullis/admission.h>

#include <memory>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "admission/mutation.h"
#include "chain/chain.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "library/authorizer.h"
#include "library/webhooks.h"

namespace portcullis::v1 {

struct Context::State {
  // That of the last review, because texts and values of the decision refer to it. First, so that it goes last.
  std::shared_ptr<const Engine::State> engine;
  ReviewContext review;
  AskedAuthorizer authorizer;
  AskedWebhooks webhooks;
  std::unique_ptr<chain::Admission> chain;  // made by the first `admit`
  Arena arena;                              // of requests made by the library; each resets it
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
  std::vector<WebhookResult> webhook_results;
  std::vector<std::pair<std::string_view, std::string_view>> annotations, webhook_annotations;
  std::string status, answer;

  // The decision of the review, in the types of the face.
  const Decision& show();
  // That of the chain, after its mutation was moved to `mutation`.
  const Decision& show_chain();
  // Adds what the chain did so far to the decision: warnings, annotations, the mutated object, webhooks.
  const Decision& add_chain();
  // A refusal before any policy; the texts must outlive the decision.
  const Decision& refuse(int code, std::string_view reason, std::string_view message);
  // The answer to a review that was interrupted.
  const Decision& refuse_interrupted();
  // The refusal by a mutation.
  const Decision& refuse_mutation();

 private:
  void show_status(const portcullis::Value& status);
};

}  // namespace portcullis::v1
