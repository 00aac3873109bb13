// The front door of admission/: load policies once, decide requests many times.
//
// Idea: an Engine is everything that is known before a request comes (policies, bindings, params,
// namespaces, which kinds exist), compiled and indexed; it is immutable, so any number of threads share
// it. A thread owns a ReviewContext (memory that is reset, never freed). `review` answers as
// kube-apiserver 1.37's ValidatingAdmissionPolicy plugin does; where its order is random (policies,
// bindings, params), ours is by name.
//
//   auto engine = Engine::load(cluster);               // once: policies, bindings, params, namespaces
//   ReviewContext context;                             // one a thread
//   Decision decision;                                 // keeps its capacity too
//   (*engine)->review(request, context, decision);     // allocates nothing once warm, takes no lock
//   if (!decision.allowed) puts(std::string(decision.status.message).c_str());
//
// `mutate` answers what the mutating policies among them make of the request's object (mutation.h); `admit` does both,
// one after the other, as the API server does.
//
// (The whole of it, with what goes in: admission/engine/engine_test.cc.)
// Limits: objects stand as they are (no decoding of built-in kinds). Read in this order: request.h (what is asked), document.h (JSON with its texts), schema.h (fields of the API types, strict
// decoding), validation.h (what the API server refuses), policy.h (policies as the engine wants them),
// selector.h, matching.h, request_values.h (`request` and namespaceObject as CEL values), stage.h
// (expressions out of one budget), scene.h (what is matched, and params), failure_message.h, review_state.h (the
// memory of a thread), review.cc (the dispatcher's loops, decisions, statuses), mismatch.h (why policies do not
// match), batch.h. Tested by admission/*_test.cc, tests/admission/ (stories) and
// tests/oracle/ (against Kubernetes itself).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/objects/request.h"
#include "admission/policies/check_object.h"
#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis {

class Authorizer;       // admission/authorization/authorizer.h
class Expression;       // interpreter/cel.h
class Watch;            // interpreter/cel.h
struct Document;        // admission/objects/document.h
struct DecodedCluster;  // admission/engine/policy.h
struct Mutation;        // admission/mutation.h
namespace crd {
class Definition;  // admission/crd/object.h
}

// A kind that the cluster serves, as a kind of params.
struct ParamKindInfo {
  std::string api_version, kind;
  bool namespaced = true;
};

// One resource at one of its versions; those of a group are the same objects.
struct EquivalentResource {
  std::string group, version, resource, kind_group, kind_version, kind;
};

// What an Engine is made of. Values must outlive the Engine unless `load` says otherwise (it copies policies
// and bindings, and refers to params and namespaces).
struct Cluster {
  std::vector<Value> policies, bindings;  // any served version; validating and mutating ones mixed
  std::vector<Value> params;
  std::vector<Value> namespaces;
  std::vector<ParamKindInfo> param_kinds;  // kinds that exist, when `closed_param_kinds`; else scopes of some
  bool closed_param_kinds = false;
  bool params_cluster_scoped = false;  // scope of kinds that are not in `param_kinds`
  // Params of built-in kinds are as a ValidatingAdmissionPolicy sees them (builtin/normalize.h,
  // param_object): without unknown fields.
  bool typed_params = false;
  std::vector<std::vector<EquivalentResource>> equivalents;
  // Of the custom resources that mutating policies are to change: their objects are merged by their schemas and get
  // their defaults. Built-in kinds have the schemas of Kubernetes 1.37; a kind with neither is a 503.
  std::vector<std::shared_ptr<const crd::Definition>> definitions;
  // Namespaces that are not given are taken to exist, with no label but their name; else requests in them fail.
  bool assume_namespaces = false;
};

// What became of one validation (or of a whole evaluation, then `validation` is -1), for people.
struct ValidationOutcome {
  enum class Kind : uint8_t {
    Passed,
    Failed,           // the expression gave false
    Error,            // it failed to compile or to evaluate; `ignored` if failurePolicy let it pass
    ConfigError,      // the policy or binding could not be applied (params, paramKind, selectors)
    AnnotationError,  // an audit annotation failed
    ConditionsFalse,  // matchConditions left the request out
  };
  Kind kind = Kind::Passed;
  bool ignored = false;
  bool denied = false, warned = false, audited = false;
  std::string_view policy, binding;  // binding is empty for errors of the policy itself
  std::string_view param;            // namespace/name of the param, empty if none
  int validation = -1;               // index in spec.validations
  std::string_view expression, message, reason;
  uint64_t cost = 0;  // of the expression, with the variables it forced
  // Where the cause of an error stands if that is no validation: a field of the policy ("spec.matchConditions",
  // "spec.paramKind") or, with `of_binding`, of the binding ("spec.paramRef.name"); `item`: of the list there,
  // of "spec.validations" its message expression, in which the budget of all ran out.
  std::string_view field;
  int item = -1;
  bool of_binding = false;
};

struct StatusCause {
  std::string_view message;
  std::string_view field = {}, reason = {};  // where the object is refused, and the sort of error
};

// metav1.Status of a refusal.
struct Status {
  int code = 0;
  std::string_view reason, message;
  bool has_details = false;
  std::string_view name, group, kind;
  std::vector<StatusCause> causes;
  void clear();  // keeps the capacity of `causes`
};

// The answer. Texts live in the ReviewContext until its next review. Vectors keep their
// capacity between reviews.
struct Decision {
  bool allowed = true;
  Status status;           // if not allowed
  std::string_view error;  // instead of a status: an error that is no Status (not allowed either)
  std::vector<std::string_view> warnings;  // in the order emitted, repeated ones included
  std::vector<std::pair<std::string_view, std::string_view>> audit_annotations;  // by key
  std::vector<ValidationOutcome> outcomes;  // filled if the context asks for them
  int policies_matched = 0, bindings_matched = 0;
  void clear();
};

// Is told each expression of a policy that a review evaluated, for people: why something
// failed, what it costs.
class ReviewTrace {
 public:
  enum class Part : uint8_t { MatchCondition, Validation, Message, Annotation, Mutation };
  struct Evaluated {
    std::string_view policy, param;  // param: namespace/name, empty if none
    Part part = Part::Validation;
    bool mutating = false;   // of a MutatingAdmissionPolicy
    int index = 0;           // in the policy's list
    uint64_t cost = 0;       // with the variables it forced
    bool passed = true;      // no error; conditions and validations: true
    std::string_view error;  // as Kubernetes words it; empty if there is none
    Value value;             // if there is no error
  };
  struct Variable {
    std::string_view name;
    std::shared_ptr<const Expression> expression;
  };
  // Compiles again and evaluates again what was evaluated, from the same values, and tells a Watch the values of the
  // nodes. Those live until the next review.
  class Replay {
   public:
    virtual ~Replay() = default;
    virtual std::shared_ptr<const Expression> expression(Watch& watch) = 0;
    // The variable that expressions call `variables.FIELD`; nothing if there is none that compiles.
    virtual std::optional<Variable> variable(std::string_view field, Watch& watch) = 0;
  };
  virtual ~ReviewTrace() = default;
  // `replay` is for use within the call.
  virtual void evaluated(const Evaluated& expression, Replay& replay) = 0;
};

// In which order mutating policies are invoked. The API server's is random; ours is by name, unless somebody wants to
// know what another one gives.
struct MutationOrder {
  bool reversed = false;  // policies, bindings and params the other way round
  std::string_view one,
      other;  // names of two policies that change places, both of which match; empty: none do
};

// Memory of one thread for reviews.
class ReviewContext {
 public:
  ReviewContext();
  ~ReviewContext();
  ReviewContext(const ReviewContext&) = delete;
  ReviewContext& operator=(const ReviewContext&) = delete;

  // Asked by `authorizer` expressions; null: everything is refused an opinion. Must outlive reviews.
  const Authorizer* authorizer = nullptr;
  bool want_outcomes = false;
  bool want_merges = false;      // in outcomes of mutations
  MutationOrder order;           // its texts must outlive mutations
  ReviewTrace* trace = nullptr;  // null: nobody. Must outlive reviews

  struct State;
  State& state() { return *state_; }
  struct MutationState;
  MutationState& mutation_state();  // made when first asked for

 private:
  std::unique_ptr<State> state_;
  std::unique_ptr<MutationState> mutation_state_;
};

class Engine {
 public:
  // Decodes (leniently, as the API server's storage does), defaults, compiles and indexes. Fails only for
  // objects that are no policy or binding at all, or do not decode; expressions that do not compile are kept
  // and fail at run time, as in the API server.
  static Result<std::shared_ptr<const Engine>> load(const Cluster& cluster);
  // The same of objects that are decoded; of `options` only what says nothing about objects is used.
  static Result<std::shared_ptr<const Engine>> load(const DecodedCluster& objects, const Cluster& options);

  // An engine with the same policies, which are not compiled again, and with the params and namespaces of `data` in
  // place of those of this one. Of its options only `typed_params` counts. Fails for params of a kind that was not
  // there when this one was loaded.
  Result<std::shared_ptr<const Engine>> exchange(const Cluster& data) const;

  // Decides one request. Everything of the previous decision made with `context` is dead afterwards.
  void review(const AdmissionRequest& request, ReviewContext& context, Decision& decision) const;

  // Runs the mutating policies on one request, twice where reinvocation wants it. Everything of the previous mutation
  // made with `context` is dead afterwards, of the previous decision nothing. A DELETE is never mutated.
  void mutate(const AdmissionRequest& request, ReviewContext& context, Mutation& mutation) const;
  // Both, as the API server does: mutates, then (if that is allowed) reviews the request with the object that came of
  // it. A refusal of the mutation is the decision's, too. What the API server does in between (it fills in and
  // validates the object) is not done: where that matters, call the two apart.
  void admit(const AdmissionRequest& request, ReviewContext& context, Mutation& mutation,
             Decision& decision) const;

  // Counts of what is loaded and can match at all (a policy without binding is inert), mutating policies among it.
  size_t policy_count() const;
  size_t binding_count() const;
  bool has_mutations() const;  // is there a mutating policy with a binding?
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  struct Loaded;
  // What is loaded (admission/engine/policy.h), for explanations: admission/engine/mismatch.h.
  const Loaded& loaded() const { return *loaded_; }

 private:
  explicit Engine(std::unique_ptr<Loaded> loaded);
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace portcullis
