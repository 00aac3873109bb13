// Turns manifests and recorded AdmissionReviews into the requests that a cluster would have seen.
//
// Idea: a manifest becomes the request that kubectl would cause: CREATE of the object in its namespace,
// UPDATE if its former state is known, or the request of a subresource (subresource.h). An UPDATE without a
// former state is refused, since rules about changes would pass. An AdmissionReview is used unchanged.
// Objects of built-in kinds become what policies see (admission/builtin/normalize.h), unless the settings say
// otherwise; unknown fields and values of a wrong type are reported with their positions. Tested by
// tests/cli.py.
#pragma once

#include <map>
#include <memory>
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
#include "manifests/conflict.h"
#include "manifests/kubectl.h"
#include "manifests/resources.h"

namespace portcullis {

// Why a manifest has no verdict: the message of the API server or of this program.
struct Refusal {
  const SourceFile* file = nullptr;  // the file of the manifest or of its former state
  Position position = {};            // in the file
  std::string text;                  // for people, in the API server's words if it has any
  std::string hint = {};             // may be empty
  std::string status = {};           // JSON of the API server's metav1.Status; empty if it is not asked
};

// What is known of a request beside what policies decide.
struct Remark {
  enum class About : uint8_t {
    Refused,  // an API server refuses the manifest all the same
    Assumed,  // the verdict rests on something that nobody gave
  };
  About about;
  Position position;  // in the file of the manifest
  std::string text;
};

// A request and its manifest. Views live as long as the Inputs and the settings.
struct Request {
  AdmissionRequest attributes;
  const InputObject* object = nullptr;
  std::string_view uid = {};                        // of an AdmissionReview
  std::optional<Refusal> refusal = {};              // if set, `attributes` are incomplete
  std::optional<Preconditions> preconditions = {};  // of an update by a manifest
  bool replaces_written = false;  // the former state is what a person wrote, not what a server has
  bool namespaced = true;         // whether the resource is namespaced
  bool incomplete = false;        // of a built-in kind, as mutating policies see it: see complete()
  std::vector<Remark> remarks = {};
  std::vector<std::string> warnings = {};  // of the API server, about an object of a built-in kind
};

// The settings of the command line for all requests.
struct RequestSettings {
  std::optional<Operation> operation;
  std::string subresource;  // NAME or RESOURCE/NAME (subresource.h)
  bool same_old = false;    // an object without former state replaces itself
  bool deletes = false;     // each object is one that the new state lacks (deletions.h)
  // How the former state of an update is given, for people.
  std::string_view former_hint = "--old FILE gives it; --old same takes the object to replace itself";
  std::string user;  // empty: kubernetes-admin, of system:masters
  std::vector<std::string> groups;
  bool dry_run = false;
  std::optional<int64_t> grace_period;  // of deletions, in seconds
  std::string_view propagation;         // of deletions: see ClientOptions
  std::string field_manager;            // empty: that of `kubectl create` or `kubectl replace`
  bool managed_fields = false;          // objects of built-in kinds have metadata.managedFields
  bool as_is = false;                   // objects of built-in kinds are not decoded and defaulted
  bool only_known_kinds = false;        // kinds that are not certain to exist are refused
  bool mutates = false;  // there are mutating policies or webhooks: objects are made as these see them
};

// The key of an object in the search for its former state. Versions of a kind are the same objects.
std::string identity_of(const InputObject& object);

// Prints why an object of a built-in kind does not decode, with the position in the file.
void say_decoding_error(const InputObject& object, const builtin::Normalized& refused);

// Prints a refusal as an error, with its position and hint.
void say_refusal(const Refusal& refusal);

// Adds those of `objects` that admission plugins read to `to` (admission/builtin/surroundings.h), in `arena`.
void add_surroundings(builtin::Surroundings& to, const std::vector<InputObject>& objects, Arena& arena);

// Makes requests of objects that settle() (namespaces.h) has settled.
class RequestMaker {
 public:
  // All arguments must outlive the maker and its requests.
  RequestMaker(const RequestSettings& settings, const Resources& resources, Arena& arena);

  // Sets the former states; their manifests become updates. A manifest with two different former states gets no request.
  // A former state without a name is ignored.
  void set_former(std::span<const InputObject> objects);

  // Sets the objects that admission plugins read; many makers may share them. Null: there are none.
  void set_surroundings(std::shared_ptr<const builtin::Surroundings> around) { around_ = std::move(around); }

  const builtin::Surroundings* surroundings() const { return around_.get(); }

  // Forgets the requests; the next ones live in `arena`. What the maker knows stays: a copy of it makes requests on
  // another thread.
  void restart(Arena& arena) {
    arena_ = &arena;
    requests_.clear();
    namespaces_.clear();
    replaced_.clear();
  }
  // Makes the request of a manifest or an AdmissionReview; if there is none, a request with a refusal.
  void add(const InputObject& object);

  // If `mutates`: turns the object of an incomplete request, after mutation, into what validating policies see. Warns of what
  // the API server refuses in its metadata, as add() does of a complete one.
  void complete(Request& request);
  // What mutating policies would see of `manifest` in place of the request's manifest, in `arena`; null if
  // the API server refuses it, or if it is of no built-in kind.
  Value served(const Request& request, const Value& manifest, Arena& arena) const;

  const RequestSettings& settings() const { return settings_; }
  const std::vector<Request>& requests() const { return requests_; }
  // The namespaces of the requests.
  const std::unordered_set<std::string_view>& namespaces() const { return namespaces_; }
  // The former states of the manifests, also of those that are refused.
  const std::unordered_set<const InputObject*>& replaced() const { return replaced_; }

 private:
  std::optional<Refusal> fill_manifest(const InputObject& object, Request& out);
  std::optional<Refusal> address(const InputObject& object, const Resource& resource, const Route& route,
                                 const InputObject* old, AdmissionRequest& out);
  const std::vector<const InputObject*>* find_former(const std::string& identity);
  std::optional<Refusal> choose_former(const std::vector<const InputObject*>& all,
                                       const InputObject*& out) const;
  std::optional<Refusal> fill_objects(const InputObject& object, const InputObject* old, Request& out);
  std::optional<Refusal> normalize(const InputObject& object, const InputObject* old, Request& out);
  builtin::DecodeOptions options_for(const Request& request) const;
  const Routes& routes();
  std::optional<Refusal> fill_review(const InputObject& object, Request& out);
  bool may_exist(const Resource& resource) const;
  bool is_body(const Resource& resource) const;
  Refusal refuse_kind(const InputObject& object, const Resource& resource) const;
  const std::vector<const InputObject*>* find_scaled(const InputObject& object, const Route& route);
  // Notes (request_notes.cc).
  void note_kind(const InputObject& object, const Resource& resource);
  void note_route(const InputObject& object, const Route& route);
  void note_scale(const InputObject& object, const Route& route);
  void look_at_recorded(const InputObject& object, Request& request);

  const RequestSettings& settings_;
  const Resources& resources_;
  Arena* arena_;
  UserInfo user_;
  std::map<std::string, std::vector<const InputObject*>> former_;  // by identity
  std::shared_ptr<const builtin::Surroundings> around_;
  std::optional<Routes> routes_;           // made after all definitions are known
  std::unordered_set<std::string> noted_;  // kinds with a note
  std::unordered_set<std::string_view> namespaces_;
  std::unordered_set<const InputObject*> replaced_;
  std::vector<Request> requests_;
};

}  // namespace portcullis
