// The review of one request in a context: what is made of the request, who decides it, and what the answer is.
// Tested by library/engine_test.cc, library/mutation_test.cc, library/webhooks_test.cc.
#pragma once

#include <portcullis/admission.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/decode.h"
#include "library/cluster.h"
#include "library/context.h"
#include "manifests/conflict.h"
#include "manifests/definitions.h"
#include "manifests/object.h"
#include "manifests/resources.h"

namespace portcullis::v1 {

inline constexpr std::string_view kNoOperation =
    "the operation is none of CREATE, UPDATE, DELETE and CONNECT";

// An object with its names.
InputObject object_of(const portcullis::Value& value);

class ContextReview {
 public:
  // Forgets the last request of the context, and its engine.
  ContextReview(const std::shared_ptr<const Engine::State>& engine, Context::State& context);

  AdmissionRequest& request() { return context_.request; }

  // Makes a request from attributes. Returns the refusal, or null.
  const Decision* make(const Request& asked);
  // Makes the request for a manifest. Returns the refusal, or null.
  const Decision* make(const ManifestRequest& asked);
  // Objects of the request are made for all webhooks, and for mutating ones before they are completed.
  void prepare_for_webhooks();
  // The request as it stands, in the types of the face.
  Request asked() const;

  // Leaves only policies that ask for these versions. Returns the decision if none is left, or null.
  const Decision* choose_versions(std::string_view versions);
  // Turns the mutated object into what validating policies see. Returns the refusal, or null.
  const Decision* complete();
  // The refusal of a request, or the decision of the policies of `plugins`.
  const Decision& answer(const Decision* refusal, Plugins plugins = Plugins::All);
  // The refusal of a request, or the decision of the whole chain.
  const Decision& answer_chain(const Decision* refusal);

 private:
  // Puts into the request what it asks for, beside objects. Returns the refusal, or null. `old`: null if there is none.
  const Decision* address(const ManifestRequest& asked, InputObject& object, InputObject* old);
  // Refuses a subresource or an operation that no server has, or null. `kind`: of the object.
  const Decision* refuse_unserved(const Resource& kind);
  // Refuses a namespace that no cluster can have, or null. `kind`: of the object.
  const Decision* refuse_namespace(const Resource& kind);
  // Decodes the objects, and puts them into the request. Returns the refusal, or null.
  const Decision* decode(const ManifestRequest& asked, const portcullis::Value& object,
                         const portcullis::Value* old);
  // If the object is a custom resource, decodes it by its definition. Returns the refusal, or null.
  const Decision* decode_by_definition();
  const Decision* normalize(const portcullis::Value& object, const portcullis::Value* old);
  const Decision* complete_builtin();
  builtin::DecodeOptions options();

  void set_user(const UserInfo& user);
  void choose_authorizer();
  // Runs the mutating policies; the request then has the mutated object. Returns their refusal, or null.
  const Decision* mutate();
  const Decision& decide();

  Arena& arena() { return context_.arena; }
  // `json`: the whole Status.
  const Decision* refuse(int code, std::string_view reason, std::string_view message, std::string json);
  const Decision* refuse_by_definition();
  const Decision* refuse(const ServerRefusal& r);
  // Asks the API server's own admission plugins. Returns a refusal, or null.
  const Decision* ask_plugins();
  // Whether policies see a namespace that is not among the manifests.
  bool assumes_namespace() const;
  // The decision, with the API server's own warnings first. `sees_namespaces`: whether labels of namespaces may
  // have a say in it.
  const Decision& warn(const Decision& decision, bool sees_namespaces = false);

  const Rules& rules_;
  const Engine::State& engine_;
  Context::State& context_;
  std::vector<std::string> warnings_;           // of the API server, about an object of a built-in kind
  std::optional<DefinedOutcome> custom_;        // if the object is a defined custom resource
  std::optional<Preconditions> preconditions_;  // of an update by a manifest
  bool namespaced_ = false;                     // whether the resource of a manifest is namespaced
  bool mutated_ = false;     // whether the request has another object than it was made with
  bool incomplete_ = false;  // a built-in kind, as mutating policies see it
  bool normalized_ = false;  // a manifest of a built-in kind
  bool mutates_;             // whether something may mutate the object
  bool managed_fields_;      // whether somebody may see metadata.managedFields
};

}  // namespace portcullis::v1
