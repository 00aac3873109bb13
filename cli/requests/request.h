// Manifests and recorded AdmissionReviews -> the requests that a cluster would have seen.
//
// Idea: a manifest becomes the request that kubectl would have caused: CREATE of the object in its namespace,
// UPDATE where its former state is known, or what a subresource takes (subresource.h). An UPDATE without a former
// state is refused, since rules about changes would pass. An AdmissionReview is taken as it is. Objects of built-in kinds are
// what policies see of them (admission/builtin/normalize.h), unless the settings say otherwise; unknown
// fields and values of a wrong type are said with their place. Tested by tests/cli.py.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "admission/admission.h"
#include "admission/builtin/normalize.h"
#include "admission/builtin/surroundings.h"
#include "cli/reading/input.h"
#include "cli/requests/subresource.h"
#include "manifests/kubectl.h"
#include "manifests/resources.h"

namespace portcullis {

// Why a manifest has no verdict: what the API server, or this program, says instead.
struct Refusal {
  const SourceFile* file = nullptr;  // that of the manifest, or of its former state
  Position position = {};            // in the file
  std::string text;                  // for people, the API server's words where it has any
  std::string hint = {};             // may be empty
  std::string status = {};  // JSON of the metav1.Status that the API server answers; empty if it is not asked
};

// A request and what it is made of. Views live as long as the Inputs and the settings.
struct Request {
  AdmissionRequest attributes;
  const InputObject* object = nullptr;
  std::string_view uid = {};            // of an AdmissionReview
  std::optional<Refusal> refusal = {};  // then `attributes` are as far as they are known
  bool namespaced = true;               // the scope of the resource
  bool incomplete = false;              // of a built-in kind, as mutating policies see it: see complete()
};

// What the command line says about all requests.
struct RequestSettings {
  std::optional<Operation> operation;
  std::string subresource;  // NAME or RESOURCE/NAME (subresource.h)
  bool same_old = false;    // an object without a former state replaces itself
  std::string user;         // empty: kubernetes-admin, of system:masters
  std::vector<std::string> groups;
  bool dry_run = false;
  std::string field_manager;      // empty: that of `kubectl create` or `kubectl replace`
  bool managed_fields = false;    // objects of built-in kinds have metadata.managedFields
  bool as_is = false;             // objects of built-in kinds are not decoded and defaulted first
  bool only_known_kinds = false;  // kinds that need not exist are refused
  bool mutates = false;           // there are mutating policies: objects are made as these see them
};

// Says why an object of a built-in kind does not decode, with the place in the file.
void say_decoding_error(const InputObject& object, const builtin::Normalized& refused);

// Says a refusal as an error, with its place and hint.
void say_refusal(const Refusal& refusal);

// Objects are those of settle() (namespaces.h).
class RequestMaker {
 public:
  // All must outlive the maker and what it makes.
  RequestMaker(const RequestSettings& settings, const Resources& resources, Arena& arena);

  // The objects as they were; their manifests become updates.
  void set_former(const std::vector<InputObject>& objects);

  // Objects that admission plugins look at when others are made (admission/builtin/surroundings.h).
  void set_surroundings(const std::vector<InputObject>& objects);

  // Makes the request of a manifest or an AdmissionReview; where there is none, one with a refusal.
  void add(const InputObject& object);

  // With `mutates`: makes of the object of an incomplete request, which mutating policies have changed, what validating
  // ones see.
  void complete(Request& request);
  // What mutating policies would see of `manifest` if it stood in place of the request's; null if the API server
  // refuses it, or if it is of no built-in kind. In `arena`.
  Value served(const Request& request, const Value& manifest, Arena& arena) const;

  const std::vector<Request>& requests() const { return requests_; }
  // Namespaces that requests are in.
  const std::unordered_set<std::string_view>& namespaces() const { return namespaces_; }

 private:
  std::optional<Refusal> fill_manifest(const InputObject& object, Request& out);
  std::optional<Refusal> address(const InputObject& object, const Resource& resource, const Route& route,
                                 const InputObject* old, AdmissionRequest& out);
  std::optional<Refusal> fill_objects(const InputObject& object, const InputObject* old, Request& out);
  std::optional<Refusal> normalize(const InputObject& object, const InputObject* old, Request& out);
  builtin::DecodeOptions options_for(const Request& request) const;
  const Routes& routes();
  std::optional<Refusal> fill_review(const InputObject& object, Request& out);
  bool may_exist(const Resource& resource) const;
  bool is_body(const Resource& resource) const;
  Refusal refuse_kind(const InputObject& object, const Resource& resource) const;
  void note_kind(const InputObject& object, const Resource& resource);
  void note_route(const InputObject& object, const Route& route);
  void look_at_recorded(const InputObject& object, const AdmissionRequest& request);
  std::string identity(const InputObject& object) const;

  const RequestSettings& settings_;
  const Resources& resources_;
  Arena& arena_;
  UserInfo user_;
  std::map<std::string, const InputObject*> former_;
  builtin::Surroundings around_;
  std::optional<Routes> routes_;           // made when all definitions are known
  std::unordered_set<std::string> noted_;  // kinds that were spoken of
  std::unordered_set<std::string_view> namespaces_;
  std::vector<Request> requests_;
};

}  // namespace portcullis
