// Admission: load policies once, decide requests as kube-apiserver 1.37 does, from any number of threads.
//
//   Manifests manifests;                              // policies, bindings, params, namespaces, definitions, RBAC
//   manifests.add(text, "policies.yaml");
//   LoadResult loaded = Engine::load(manifests);
//   for (const Problem& p : loaded.problems) ...      // what the API server would refuse or warn about
//   Context context;                                  // one per thread, reused
//   const Decision& decision = loaded.engine->review_manifest({.object = pod}, context);
//   if (!decision.allowed) ...
//
// An Engine runs MutatingAdmissionPolicies, then, on the object as they leave it,
// ValidatingAdmissionPolicies, with their bindings, params and namespaces. There are three ways to ask: with
// the attributes of a request (review), with an object as somebody would send it to the API server
// (review_manifest), and with the bytes of an AdmissionReview (review_json). The first two ways are there for mutation
// alone (mutate, mutate_manifest) and for the whole chain with webhooks (admit, admit_manifest), too. Where Kubernetes'
// own order is random (policies, bindings), ours is by name. Without a mutating policy, mutation costs nothing.
// An Engine is immutable: any number of threads may use it, each with its own Context and a stack of 4 MiB (cel.h).
// Nothing throws but std::bad_alloc.
// Only `admit` calls webhooks, through a WebhookCaller (webhooks.h); the other calls ask policies only, and a warning
// of `load` names the webhooks that have no say then.
// Tested by library/engine_test.cc, mutation_test.cc, admission_review_test.cc and tests/client.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <portcullis/authorizer.h>
#include <portcullis/manifests.h>
#include <portcullis/result.h>
#include <portcullis/value.h>
#include <portcullis/webhooks.h>

namespace portcullis::v1 {

enum class Operation : uint8_t { Create, Update, Delete, Connect };

struct GroupVersionKind {
  std::string_view group, version, kind;
};
struct GroupVersionResource {
  std::string_view group, version, resource;
};

// A request as the API server passes it to its admission plugins. All views and values must outlive the
// review. Objects are JSON, as Memory::read_json and read_yaml make it: what else a Value can be (keys that are no
// strings, bytes, times, NaN, results of functions) is not looked for, and may be kept, left out or end in an error.
struct Request {
  Operation operation = Operation::Create;
  GroupVersionKind kind = {};          // {"apps", "v1", "Deployment"}
  GroupVersionResource resource = {};  // {"apps", "v1", "deployments"}
  std::string_view subresource = {}, name = {}, namespace_name = {};
  Value object = {}, old_object = {}, options = {};  // null if absent
  // Whether the objects are of a built-in kind and decoded as by the API server (Engine::normalize), or come
  // from an AdmissionReview. matchPolicy Equivalent then converts them as the API server does, otherwise as
  // custom resources.
  bool normalized = false;
  bool dry_run = false;
  UserInfo user = {};  // without username: system:anonymous
};

// An object as somebody sends it to the API server: JSON, as in Request. Views and values must outlive the review.
struct ManifestRequest {
  Value object;           // the new object; for a DELETE the object to delete
  Value old_object = {};  // needed for an UPDATE: the same object, perhaps at another version of its kind
  Operation operation = Operation::Create;
  // "status" and so on, or empty. Only subresources that take objects of the kind itself: requests for others, such as
  // deployments/scale and pods/eviction, have to be given by their attributes (Request).
  std::string_view subresource = {};
  // For objects of namespaced kinds without a namespace. Empty: they are refused (code 400), unless only a guess says
  // that the kind is namespaced.
  std::string_view namespace_name = "default";
  UserInfo user = {};  // without username: system:anonymous
  bool dry_run = false;
  bool as_is = false;  // decide the objects unchanged: without decoding, defaults or pruning
};

// The metav1.Status of a refusal.
struct Status {
  int code = 0;
  std::string_view reason, message;
  std::string_view name, group, kind;        // in the details
  std::span<const std::string_view> causes;  // the messages of the details' causes
  std::string_view json;  // set only if the status has more than these members; see status_json
  // The end of `message`, if it says that the request's namespace is not among the manifests
  // (LoadOptions::assume_namespaces), as `namespaces "shop" not found`; else empty. For callers who say it in other
  // words.
  std::string_view missing_namespace = {};
};

// The result of one validation, or of a policy as a whole (then `validation` is -1).
struct ValidationResult {
  enum class Kind : uint8_t {
    Passed,
    Failed,           // the expression is false
    Error,            // the expression failed to compile or to evaluate
    ConfigError,      // the policy or its binding is not configured properly
    AnnotationError,  // an audit annotation failed
    ConditionsFalse,  // matchConditions excluded the request
  };
  Kind kind = Kind::Passed;
  bool ignored = false;  // an error, but failurePolicy is Ignore
  bool denied = false, warned = false, audited = false;
  std::string_view policy, binding, param;  // param: namespace/name; each may be empty
  int validation = -1;                      // index in spec.validations
  std::string_view expression, message, reason;
  uint64_t cost = 0;  // in Kubernetes' units, with the variables that it evaluated first
};

// The result of one mutation, or of a whole invocation (policy, binding, param; then `mutation` is -1).
struct MutationResult {
  enum class Kind : uint8_t {
    Applied,
    TestFailed,       // an operation `test` of the patch failed, so none of the patch was applied
    NoObject,         // the request has no object to patch
    Error,            // the mutation failed to compile, to evaluate or to be applied
    ConfigError,      // the policy or its binding is not configured properly
    ConditionsFalse,  // matchConditions excluded the request
    NotAgain,         // the second pass skipped the invocation
  };
  Kind kind = Kind::Applied;
  bool ignored = false;                     // an error, but failurePolicy is Ignore
  bool changed = false;                     // `after` differs from `before`
  int pass = 1;                             // 1 or 2; policies are invoked again if others changed the object
  std::string_view policy, binding, param;  // param: namespace/name; each may be empty
  int mutation = -1;                        // index in spec.mutations
  std::string_view expression, message, reason;
  Value before, after;  // the object at the version that the policy matched; equal if nothing was applied
  uint64_t cost = 0;    // in Kubernetes' units, with the variables that it evaluated first
};

// What became of a webhook in one pass of the chain.
struct WebhookResult {
  enum class Kind : uint8_t {
    NotReached,  // `text` says why: a rule, a selector, a match condition, or the request is refused before
    NotAgain,    // the second pass does not call it
    Unknown,     // it would be called, and nobody asks it
    Allowed,
    Denied,
    Failed,  // the call failed, or the webhook cannot take part in a dry run
  };
  Kind kind = Kind::NotReached;
  bool mutating = false;
  bool ignored = false;  // it failed, but failurePolicy is Ignore
  bool changed = false;  // its patch changed the object: `after` differs from `before`
  int pass = 1;          // 1 or 2
  std::string_view configuration, name;
  int index = 0;             // in `webhooks` of the configuration
  std::string_view version;  // of the AdmissionReview that it is sent: "v1" or "v1beta1"; empty if none
  // The message of a denial or failure; with Context::want_results also why it is not reached.
  std::string_view text;
  Value before, after;  // the object at the version of the call; null if nothing changed
};

// The answer. It lives, with its texts, lists and values, in the Context until the Context's next review or
// mutation, even if the last shared_ptr to the Engine goes before; values may share parts with those of the request.
struct Decision {
  bool allowed = true;
  // Whether something other than a policy refuses the request: an unknown kind, a value of a wrong type (even
  // if a mutating policy wrote it), a custom resource that its definition does not allow, an update whose uid or
  // resourceVersion is not that of the old object (code 409), a Pod, claim or Namespace that an admission plugin does
  // not take, a Request or AdmissionReview that no API server makes;
  // or there is no answer: because a mutating policy applies to a custom resource whose definition is not among the
  // manifests (code 503), or because the review was interrupted (code 504). `allowed` is false then, and `status`
  // gives the reason.
  bool refused = false;
  bool interrupted = false;  // by the Context: this is no verdict, whatever failurePolicy says
  Status status;             // if not allowed
  std::span<const std::string_view>
      warnings;  // in order, as often as they arise; an API server sends each text once
  std::span<const std::pair<std::string_view, std::string_view>> audit_annotations;  // by key
  std::span<const std::string_view> unknown_fields;  // of a manifest: dropped before policies see it
  std::span<const ValidationResult> results;         // if the Context wants them
  // Whether mutating policies changed the object. Then `before` is the object that the first of them saw (of
  // a manifest: decoded and defaulted) and `after` the object as they left it, whatever validating policies
  // decide. Both are null if nothing changed or mutation is refused.
  bool mutated = false;
  Value before, after;
  std::span<const MutationResult> mutations;       // in the order of their runs, if the Context wants them
  int policies_matched = 0, bindings_matched = 0;  // mutating and validating ones that were asked
  // Of `admit`: what became of webhooks, in the order of events.
  std::span<const WebhookResult> webhooks;
  // Whether somebody has not decided: a webhook that the request reaches was not asked, or a policy with failurePolicy
  // Ignore would see an object that only the conversion webhook of its definition makes. The decision is that of all
  // others.
  bool incomplete = false;
  // Whether the decision rests on a namespace that is only assumed to exist, without labels of its own: the manifests
  // lack that of the request (LoadOptions::assume_namespaces), and a policy, a binding or (with `admit`) a webhook
  // selects namespaces by labels or reads namespaceObject. So it may not apply here, although it does in the cluster.
  bool assumed_namespace = false;
};

// Which of the API server's plugins decide: both, or the policies of one sort alone. The last two are the mutating
// policies with one reinvocationPolicy, each for a webhook that has the same: a webhook is not told that it is called
// again.
enum class Plugins : uint8_t { All, Mutating, Validating, MutatingNever, MutatingIfNeeded };

// Which results a decision has.
enum class Results : uint8_t {
  None,
  Failures,  // all mutations; of validations those that fail, so a review is faster than with All
  All,       // also validations that pass, and policies whose conditions are false
};

// The answer to an AdmissionReview. Texts and values live in the Context until its next review.
struct JsonAnswer {
  std::string_view json;  // the AdmissionReview with the response
  std::string_view uid;   // of the request
  // What was asked; without `extra` of the user. Empty as far as the AdmissionReview does not say it. If the API server
  // converted the objects for a webhook, kind and resource are those that the client sent, and the objects as given.
  Request request;
  // "resource.k8s.io/v2 ResourceClaim", if neither Kubernetes 1.37 nor a definition has this kind: decided all the
  // same, as a custom resource without definition, since the sender serves it. Else empty.
  std::string_view unknown_kind = {};
  const Decision* decision = nullptr;  // never null
  // How long the policies took, on the steady clock: without the reading, decoding and writing of JSON.
  std::chrono::nanoseconds time = {};
};

// The status of a decision that is not allowed, as JSON of a metav1.Status. An allowed one has no status
// ({"message":""}).
std::string status_json(const Decision& decision);

// The JSON Patch (RFC 6902) from `before` to `after`; empty if the object is not mutated. Each call computes
// it from the values of decision and request, which must still be valid. Throws std::bad_alloc if its operations need
// more than 32 MiB: many times what an API server can store.
std::string patch_json(const Decision& decision);

// The memory that a thread needs for reviews; it is reused from one review to the next. It keeps what its last review
// refers to of the Engine, so an Engine that nobody holds any more is freed by the next review of the last Context that
// used it, by its `release`, or with that Context. A Context that was moved from may only be destroyed or assigned to.
class Context {
 public:
  Context();
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  // Sets who answers `authorizer` in expressions. Null: the RBAC objects of the Engine. Must outlive the
  // reviews.
  void set_authorizer(const Authorizer* authorizer);
  // Sets who asks webhooks for `admit`. Null: nobody does. Must outlive the reviews.
  void set_webhook_caller(WebhookCaller* caller);
  // End reviews and mutations: `interrupt`, when it is true, which another thread may set, or a time that has passed.
  // Such a review is no verdict (Decision::interrupted). Both are looked at by each expression of policies, as Limits
  // (cel.h) describe, and before a webhook is asked, whose own timeout ends its call; but not by decoding, matching,
  // patches and rules of custom resources, which have bounds of their own, and not within a search by a regular
  // expression, which only its cost bounds. At first there is neither. `interrupt` may be null, and must outlive the
  // reviews.
  void set_interrupt(const std::atomic<bool>* interrupt);
  void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline);
  // Bounds the memory of the values of a request, and, by as much each, of those that its mutation and validation make.
  // Beyond, expressions fail as Limits (cel.h) describe, and a review throws std::bad_alloc where it evaluates none;
  // the Context can only be destroyed or assigned to then. At first each evaluation has the bound of Limits.
  void set_max_memory(size_t bytes);
  // Sets which `results` and `mutations` decisions have; at first none. They take memory from the heap.
  void want_results(Results wanted);
  // Lets go of the Engine of the last review. Its Decision must not be used any more; JsonAnswer::json still may. Keeps
  // the memory, and neither allocates nor takes a lock. For threads that wait for their next request while others
  // exchange the Engine.
  void release();

  struct State;
  State& state() { return *state_; }  // for Portcullis itself

 private:
  std::unique_ptr<State> state_;
};

struct LoadOptions {
  // The minor release for which policies are checked as an API server checks new ones, 23 to 37; others are a
  // problem. 0: a 1.37 that can be rolled back to 1.36, as every 1.37 is by default.
  uint32_t kubernetes_minor = 0;
  // Whether to load despite errors. Policies that do not compile are then treated as policies that an API
  // server has stored: they fail when a request meets them. So are params that their definition does not allow, and
  // params with a resourceVersion are taken as they are, without what the definition drops or fills in. What cannot be
  // read at all is left out.
  bool keep_invalid = false;
  // Whether a namespace that is not among the manifests is assumed to exist, with no label but its name
  // (Decision::assumed_namespace). Otherwise requests in it are refused, as by an API server that cannot find the
  // namespace (Status::missing_namespace): turn it off where all namespaces are given.
  bool assume_namespaces = true;
  // Whether the roles and bindings that every new cluster has count besides the RBAC objects of the manifests.
  bool default_roles = true;
  // Whether RBAC objects are those of a cluster, as it stores them: a ClusterRole has the rules that it holds, whatever
  // its aggregationRule selects. Otherwise it has the rules of the roles that it selects, as kube-controller-manager
  // would write them.
  bool roles_as_stored = false;
  // Whether webhooks are asked by `admit`. If not, a warning names each configuration, and `admit` asks policies only.
  bool webhooks = false;
  // The namespace of objects of namespaced kinds that name none. What cannot be the name of a namespace is a problem.
  std::string namespace_name = "default";
  // The scopes of params' kinds that are neither built in nor defined by the manifests.
  struct Scope {
    std::string group, kind;
    bool namespaced = true;
  };
  std::vector<Scope> param_scopes = {};
  // Where neither `param_scopes` nor the manifests tell such a scope: whether the policy loads with a warning, and
  // fails when a request meets it, by its failurePolicy, as where the API server does not find the kind. Otherwise it
  // is an error.
  bool fail_unknown_scopes = false;
  // The kinds of params that exist, where somebody knows all of them, as a cluster does: a policy with another
  // paramKind fails when a request meets it, as where the API server does not find the kind. Without a value, built-in
  // kinds and those that the manifests define exist, and kinds of unknown groups are assumed to.
  struct ParamKind {
    std::string api_version, kind;
    bool namespaced = true;
  };
  std::optional<std::vector<ParamKind>> param_kinds = {};
  // Whether nothing will be added to the manifests by Engine::exchange and change, nor an authorizer be set: then
  // warnings name what policies look for and the manifests lack, RBAC objects (for `authorizer`), and params without
  // which a policy does not apply (parameterNotFoundAction Allow).
  bool all_given = false;
};

// How an engine tells an object from others. `api_version` is that of the object as it was given; of a param its
// version counts, since each policy reads params at the version of its paramKind, and none is converted. The namespace
// is empty if the kind is cluster-scoped. The texts must outlive the call that takes them.
struct ObjectName {
  std::string_view api_version, kind, namespace_name, name;
};

class Engine;

struct LoadResult {
  std::shared_ptr<const Engine> engine;  // null after an Error, unless keep_invalid is set
  // First those of the texts of the manifests, then sort after sort of objects, each in the order of the manifests.
  std::vector<Problem> problems;
};

class Engine {
 public:
  // Loads the policies, bindings, params, namespaces, CustomResourceDefinitions and RBAC objects in
  // `manifests`: compiles and indexes them. The engine keeps what it needs of `manifests` alive. Problems
  // have the place of each error of an expression; manifests.problems() are errors here as well. Two policies or
  // bindings of one name are an error, and so is a kind of policies, bindings or webhooks in another API group. An
  // object of a built-in kind that does not decode, or of a kind that no server has, is an error, too, whether or not
  // anything reads it (of an RBAC object, which then grants nothing, a warning); with keep_invalid it is left out. Of
  // params or namespaces of one name the last one counts, with a warning; of definitions of one resource, too, if their
  // specs differ. Warnings name what decides nothing: policies without a binding, bindings without their policy,
  // policies of other engines (Kyverno, Gatekeeper).
  static LoadResult load(const Manifests& manifests, const LoadOptions& options = {});

  // Makes an engine with the same policies, bindings and definitions, which both share without loading them
  // again. Its params, namespaces, RBAC objects and the objects that fill others in (LimitRanges,
  // StorageClasses and the like) come from `data` instead of this engine. Policies, bindings and definitions
  // in `data` are errors, and so is what `load` calls an error of other objects. This engine does not change, so
  // threads may go on using it; keep the current one in a std::atomic<std::shared_ptr> or behind a mutex.
  LoadResult exchange(const Manifests& data) const;
  // The same for a part of that data: objects of `data` are added, or take the place of those of the same name, and
  // those that `gone` names, if there are any, are taken away. A param that moves to another version of its kind is two
  // objects: name the old one in `gone`. All others stay, shared by both engines. An object of
  // `data` that is left out, since a server would refuse it, takes away what has its name. The cost is that of the
  // changed objects, and of a copy of what is known of policies and bindings, without compiling; but each change of
  // an RBAC object, or of one that fills others in, reads all of these again.
  LoadResult change(const Manifests& data, std::span<const ObjectName> gone = {}) const;

  // Decides a request by its attributes, with its objects unchanged. Refuses (Decision::refused, code 400) what no API
  // server asks its plugins: no kind or resource, or one without version; an object that is no Map; a CREATE without
  // object, an UPDATE without object or old_object, a DELETE with an object. Validating policies see the object as
  // mutating policies leave it, and are not asked if those refuse the request; defaults that the API server
  // adds between the two (for what a mutation added) are missing. Takes no lock and, once the context is
  // warm, no memory from the heap, except for a namespace that is assumed to exist (LoadOptions) and the texts of some
  // errors of expressions.
  const Decision& review(const Request& request, Context& context) const;
  // Decides as the API server would for somebody who sends it the object: finds its resource, decodes and
  // defaults an object of a built-in kind, prunes and defaults a custom resource, asks the mutating policies,
  // completes the result, validates a custom resource against its definition, lets the admission plugins PodSecurity
  // and LimitRanger refuse or warn by the labels and LimitRanges of the namespace, and asks the validating policies.
  // Refuses (Decision::refused) what does not decode, kinds and subresources that no server has, operations that they
  // do not take, a namespace whose name no cluster can have, an UPDATE whose old_object is another object, and one that
  // conflicts with it: where both have a uid or resourceVersion, these must be equal, the resourceVersion as mutating
  // policies leave it. A kind of a group that neither Kubernetes nor a definition has is assumed to exist, with the
  // subresource status. Takes memory from the heap as `review` does, and also to decode and validate a custom resource
  // by its definition, to fill in what LimitRanges say, to apply Pod Security, and for some built-in kinds, such as
  // Service.
  const Decision& review_manifest(const ManifestRequest& request, Context& context) const;
  // Answers an AdmissionReview (JSON, admission.k8s.io/v1 or v1beta1) with an AdmissionReview, as a webhook
  // does: uid, allowed, status, warnings, auditAnnotations, and patch if the request is allowed and mutated.
  // Its objects are decided as they were sent. No definition of a custom resource prunes, defaults or refuses them: the
  // API server has done that, perhaps by a newer definition. After a mutation, the defaults of the definition that the
  // manifests have are filled in if the object was sent with all of them, and validating policies see its status and
  // namespace as the API server keeps them. The answer lives in the context until its next review. An error means that
  // the bytes are no AdmissionReview, or that an object in them has a key twice; a server would answer with code 400.
  // `versions` of another form than the two below are an error, too, whatever the bytes are. A request without
  // operation, kind or resource, or with a member of a wrong type, is refused (Decision::refused, code 400). All others
  // are decided as they are, even what `review` refuses, such as a CREATE without object: a webhook trusts its sender.
  // Their user is taken as it is, too: without username, request.userInfo has none, and groups without username count.
  // `plugins`: as a mutating webhook (Mutating), as a validating one (Validating), or as both after each other (All).
  // The answers of webhooks have audit annotations whose keys have an underscore in place of the slash, "POLICY_KEY":
  // the API server, which puts the webhook's name and a slash before them, drops keys with a slash. `versions`: if not
  // empty, only policies decide whose rules ask for these versions of the resource: "any-version" (`*`), or
  // "versions/v1.v2" (of several rules: "versions/v2/v1"). An API server converts an object for all rules of a webhook
  // at once, so policies that want a custom resource at different versions need a webhook each. All policies for
  // built-in kinds are of "any-version".
  Result<JsonAnswer> review_json(std::string_view json, Context& context, Plugins plugins = Plugins::All,
                                 std::string_view versions = {}) const;

  // As `review` and `review_manifest`, with the webhooks of the manifests (LoadOptions::webhooks): mutating policies,
  // mutating webhooks, both again where reinvocation wants it, then validating policies and validating webhooks.
  // Without a caller (Context::set_webhook_caller) each webhook counts as if it allowed; Decision::incomplete says so.
  // The decision's `before` and `after` are those of all mutation. Takes memory from the heap.
  const Decision& admit(const Request& request, Context& context) const;
  const Decision& admit_manifest(const ManifestRequest& request, Context& context) const;

  // As the reviews of the same names, with the mutating policies alone; `allowed` is their decision. Nothing
  // that follows mutation is done.
  const Decision& mutate(const Request& request, Context& context) const;
  const Decision& mutate_manifest(const ManifestRequest& request, Context& context) const;

  // The object as validating policies see it when an administrator creates it and no policy mutates it: decoded,
  // defaulted and completed, or pruned and defaulted by its definition. An object of a group that neither Kubernetes
  // nor a definition has only gets the namespace of LoadOptions if it names none; a kind that its group does not have
  // is an error. The value lives in `memory`. An error has the API server's text.
  Result<Value> normalize(const Value& object, Memory& memory) const;

  // Whether the RBAC objects among the manifests, and the roles that every cluster has (LoadOptions), let a user do
  // something: what expressions get from `authorizer` without an Authorizer of the Context. RBAC never denies: what it
  // does not allow has NoOpinion, which an API server refuses if no other authorizer allows it. The user has just the
  // groups of `check`; an API server adds system:authenticated. RBAC looks at no version or selector. The call takes
  // memory from the heap, and is thread-safe.
  AuthorizationAnswer authorize(const AuthorizationCheck& check) const;

  // The number of loaded policies and bindings that can match; a policy without a binding cannot.
  size_t policy_count() const;
  size_t binding_count() const;
  bool has_namespace(std::string_view name) const;  // whether the manifests have it
  bool has_mutations() const;                       // whether a mutating policy with a binding is loaded
  size_t webhook_count() const;  // of loaded configurations (LoadOptions::webhooks), mutating and validating

  struct State;
  explicit Engine(std::shared_ptr<const State> state);  // for Portcullis itself
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

 private:
  std::shared_ptr<const State> state_;  // Contexts keep that of their last review
};

}  // namespace portcullis::v1
