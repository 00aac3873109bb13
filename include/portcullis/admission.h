// Admission: load policies once, decide requests as kube-apiserver 1.37 does, from any number of threads.
//
//   Manifests manifests;                                  // policies, bindings, params, namespaces, definitions, RBAC
//   manifests.add(text, "policies.yaml");
//   LoadResult loaded = Engine::load(manifests);
//   for (const Problem& p : loaded.problems) ...          // what the API server would refuse or warn about
//   Context context;                                      // one a thread, used again
//   const Decision& decision = loaded.engine->review_manifest({.object = pod}, context);
//   if (!decision.allowed) ...
//
// What is decided: MutatingAdmissionPolicies, and on what they made of the object ValidatingAdmissionPolicies, with
// their bindings, params and namespaces. Three ways to ask: the attributes of a request (review), an object as somebody
// would send it to the API server (review_manifest), the bytes of an AdmissionReview (review_json). Where Kubernetes'
// own order is random (policies, bindings), it is by name. Where no mutating policy is loaded, mutation costs nothing.
// An Engine is immutable: any number of threads may ask the same one, each with a Context of its own. Nothing throws
// but std::bad_alloc. Limits: webhooks are not called, which a warning says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <portcullis/authorizer.h>
#include <portcullis/manifests.h>
#include <portcullis/result.h>
#include <portcullis/value.h>

namespace portcullis::v1 {

enum class Operation : uint8_t { Create, Update, Delete, Connect };

struct GroupVersionKind {
  std::string_view group, version, kind;
};
struct GroupVersionResource {
  std::string_view group, version, resource;
};

// A request as the API server hands it to its admission plugins. All views and values must outlive the review.
struct Request {
  Operation operation = Operation::Create;
  GroupVersionKind kind = {};          // {"apps", "v1", "Deployment"}
  GroupVersionResource resource = {};  // {"apps", "v1", "deployments"}
  std::string_view subresource = {}, name = {}, namespace_name = {};
  Value object = {}, old_object = {}, options = {};  // null where there is none
  // The objects are of a built-in kind and as the API server decodes them (Engine::normalize), or out of an
  // AdmissionReview. Then matchPolicy Equivalent converts them as the API server does, else as custom resources.
  bool normalized = false;
  bool dry_run = false;
  UserInfo user = {};
};

// An object as somebody sends it to the API server. Views and values must outlive the review.
struct ManifestRequest {
  Value object;           // what is created, or takes the place of `old_object`; of a DELETE what is deleted
  Value old_object = {};  // an UPDATE needs it
  Operation operation = Operation::Create;
  std::string_view subresource = {};            // "status", or none
  std::string_view namespace_name = "default";  // of objects of namespaced kinds that name none
  UserInfo user = {};                           // without username: kubernetes-admin, of system:masters
  bool dry_run = false;
  bool as_is = false;  // the objects are decided as they stand: nothing is decoded, defaulted or pruned first
};

// metav1.Status of a refusal.
struct Status {
  int code = 0;
  std::string_view reason, message;
  std::string_view name, group, kind;        // of its details
  std::span<const std::string_view> causes;  // their messages
  std::string_view json;  // the JSON of a status that says more than this; else empty: see status_json
};

// What became of one validation, or of a policy as a whole (then `validation` is -1).
struct ValidationResult {
  enum class Kind : uint8_t {
    Passed,
    Failed,           // the expression gave false
    Error,            // it failed to compile or to evaluate
    ConfigError,      // policy or binding could not be applied
    AnnotationError,  // an audit annotation failed
    ConditionsFalse,  // matchConditions left the request out
  };
  Kind kind = Kind::Passed;
  bool ignored = false;  // an error that failurePolicy Ignore lets pass
  bool denied = false, warned = false, audited = false;
  std::string_view policy, binding, param;  // param: namespace/name; each may be empty
  int validation = -1;                      // index in spec.validations
  std::string_view expression, message, reason;
  uint64_t cost = 0;  // in Kubernetes' units, with the variables that it forced
};

// What became of one mutation, or of an invocation (policy, binding, param) as a whole (then `mutation` is -1).
struct MutationResult {
  enum class Kind : uint8_t {
    Applied,
    TestFailed,       // an operation `test` of the patch did not hold, so nothing of the patch was applied
    NoObject,         // the request has no object to patch
    Error,            // it failed to compile, to evaluate or to be applied
    ConfigError,      // policy or binding could not be applied
    ConditionsFalse,  // matchConditions left the request out
    NotAgain,         // the second pass left the invocation out
  };
  Kind kind = Kind::Applied;
  bool ignored = false;  // an error that failurePolicy Ignore lets pass
  bool changed = false;  // `after` differs from `before`
  int pass = 1;          // 1, or 2: policies are invoked again where others changed the object
  std::string_view policy, binding, param;  // param: namespace/name; each may be empty
  int mutation = -1;                        // index in spec.mutations
  std::string_view expression, message, reason;
  Value before, after;  // the object, of the kind that the policy matched; the same where nothing was applied
  uint64_t cost = 0;    // in Kubernetes' units, with the variables that it forced
};

// The answer. It lives in the Context until its next review or mutation, and so do the texts, lists and values; parts
// of the values may be parts of the request's.
struct Decision {
  bool allowed = true;
  // It is not a policy that refuses the request: an unknown kind, a value of a wrong type (also one that a mutating
  // policy wrote), a custom resource that its definition does not allow. Or nothing can be said (code 503): a mutating
  // policy is to change a custom resource whose definition is not among the manifests. Not `allowed` then; `status`
  // says why.
  bool refused = false;
  Status status;  // if not allowed
  std::span<const std::string_view> warnings;
  std::span<const std::pair<std::string_view, std::string_view>> audit_annotations;  // by key
  std::span<const std::string_view> unknown_fields;  // of a manifest: dropped before policies see it
  std::span<const ValidationResult> results;         // if the Context wants them
  // Mutating policies changed the object: the one that they saw first (of a manifest: decoded and defaulted), and what
  // they left, whatever validating policies say to it. Both null if nothing changed, or if mutation is refused.
  bool mutated = false;
  Value before, after;
  std::span<const MutationResult> mutations;       // in their order, if the Context wants them
  int policies_matched = 0, bindings_matched = 0;  // mutating and validating ones, as far as they were asked
};

// The status as the JSON of a metav1.Status.
std::string status_json(const Decision& decision);

// What makes `after` of `before`, as a JSON Patch (RFC 6902); empty if the object is not mutated. Made anew by each
// call, from the values of the decision and the request, which must still live.
std::string patch_json(const Decision& decision);

// What a thread needs for reviews: memory, which is kept and used again.
class Context {
 public:
  Context();
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  // Asked by `authorizer` in expressions instead of the RBAC objects of the Engine; null: these. Must outlive reviews.
  void set_authorizer(const Authorizer* authorizer);
  // Whether decisions have `results` and `mutations`. They take memory from the heap.
  void want_results(bool wanted);

  struct State;
  State& state() { return *state_; }  // for Portcullis itself

 private:
  std::unique_ptr<State> state_;
};

struct LoadOptions {
  // Policies are checked as an API server of this minor checks new ones; 0: one that 1.36 can be rolled back to, which
  // is what a 1.37 does. 23 to 37; another is a problem.
  uint32_t kubernetes_minor = 0;
  // Loads in spite of errors: policies that do not compile are then what they are to an API server that has them
  // stored, and fail when a request meets them; what cannot be read at all is left out.
  bool keep_invalid = false;
  // Requests in namespaces that are not among the manifests are decided as if these existed, with no label but their
  // name. Else they are refused, as an API server does that cannot find the namespace.
  bool assume_namespaces = true;
  // Where objects of namespaced kinds are that name no namespace.
  std::string namespace_name = "default";
  // Scopes of kinds of params that are neither built in nor defined by the manifests.
  struct Scope {
    std::string group, kind;
    bool namespaced = true;
  };
  std::vector<Scope> param_scopes = {};
};

class Engine;

struct LoadResult {
  std::shared_ptr<const Engine>
      engine;                     // null if some problem is an Error, unless keep_invalid says otherwise
  std::vector<Problem> problems;  // in the order of the manifests
};

class Engine {
 public:
  // Takes policies, bindings, params, namespaces, CustomResourceDefinitions and RBAC objects out of `manifests`; compiles
  // and indexes. What is needed of `manifests` is kept alive. Problems tell the place of each mistake of an expression.
  // What manifests.problems() tells is an error here, too.
  static LoadResult load(const Manifests& manifests, const LoadOptions& options = {});

  // An engine with the same policies, bindings and definitions, which are shared, not loaded again, and with the params,
  // namespaces, RBAC objects (and LimitRanges, StorageClasses and the like, which fill objects in) of `data` in place of
  // the ones of this engine. Policies, bindings and definitions in `data` are errors. This engine stays what it is, so threads may
  // go on asking it; keep the current one in a std::atomic<std::shared_ptr> or behind a mutex.
  LoadResult exchange(const Manifests& data) const;

  // Decides a request by its attributes; the objects as they are. Validating policies see what mutating ones left, and
  // are not asked if those refuse the request; what the API server fills in between the two (defaults of what a
  // mutation added) is not filled in. Takes no lock, and allocates nothing from the heap once the context is warm, but
  // for a namespace that is assumed (LoadOptions).
  const Decision& review(const Request& request, Context& context) const;
  // Decides what the API server would if somebody sent it the object: finds its resource, decodes and defaults what is
  // of a built-in kind, prunes and defaults a custom resource, asks the mutating policies, fills in what follows from
  // their changes, holds a custom resource against its definition, then asks the validating policies.
  const Decision& review_manifest(const ManifestRequest& request, Context& context) const;
  // Answers an AdmissionReview (JSON, admission.k8s.io/v1 or v1beta1) with one, as a webhook does: uid, allowed, status,
  // warnings, auditAnnotations, and patch if it is allowed and mutated. Its objects are decided as they stand. The answer
  // lives in the context until its next review. An error, if the bytes are no AdmissionReview at all: a server would
  // answer that with code 400.
  Result<std::string_view> review_json(std::string_view json, Context& context) const;

  // The mutating policies alone: as the reviews of the same name, without what follows on mutation. `allowed` is what
  // these policies say.
  const Decision& mutate(const Request& request, Context& context) const;
  const Decision& mutate_manifest(const ManifestRequest& request, Context& context) const;

  // The object as validating policies see it when it is created and nobody mutates it: decoded, defaulted and filled in, or by its definition. The value
  // lives in `memory`. Objects of kinds that nobody defines stay as they are. The error is what the API server says.
  Result<Value> normalize(const Value& object, Memory& memory) const;

  // Policies and bindings that are loaded and can match at all: a policy without binding never does.
  size_t policy_count() const;
  size_t binding_count() const;
  bool has_mutations() const;  // is there a mutating policy with a binding?

  struct State;
  explicit Engine(std::unique_ptr<const State> state);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

 private:
  std::unique_ptr<const State> state_;
};

}  // namespace portcullis::v1
