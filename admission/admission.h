// The front door of admission/: load policies once, decide requests many times.
//
// Idea: an Engine holds everything that is known before a request arrives (policies, bindings, params,
// namespaces, kinds), compiled and indexed. It is immutable, so any number of threads share it. Each thread
// owns a ReviewContext, whose memory is reset for each request and never freed. `review` answers as the
// ValidatingAdmissionPolicy plugin of kube-apiserver 1.37 does. Where the order of that plugin is random
// (policies, bindings, params), ours is by name.
//
//   auto engine = Engine::load(cluster);               // once: policies, bindings, params, namespaces
//   ReviewContext context;                             // one for each thread
//   Decision decision;                                 // is reused: its vectors keep their capacity
//   (*engine)->review(request, context, decision);     // allocates nothing once warm, takes no lock
//   if (!decision.allowed) puts(std::string(decision.status.message).c_str());
//
// `mutate` runs the mutating policies of the engine on the object of the request (mutation.h). `admit` runs
// `mutate` and then `review`, as the API server does. A complete example is admission/engine/engine_test.cc.
//
// Limits: objects are taken as they are; builtin/normalize.h decodes and defaults objects of built-in kinds
// before.
//
// Files to begin with, in reading order: objects/request.h (a request), objects/document.h (JSON with duplicate keys
// and exact numbers), builtin/decode.h (strict decoding by Go types), policies/validation.h (policies that the
// API server refuses), engine/policy.h (compiled policies), engine/loaded.h (what an engine has),
// matching/selector.h, matching/matching.h, engine/request_values.h (`request` and `namespaceObject` as CEL values),
// engine/stage.h (expressions that share one cost budget), engine/scene.h (matching, and the choice of params),
// expressions/message_value.h, engine/review_state.h (memory of a thread), engine/review.cc (the loops of the
// dispatcher, decisions, statuses), engine/reach.h (why a policy does not match).
//
// Source of behaviour: apiserver pkg/admission/plugin/policy. Tested by admission/engine/*_test.cc,
// tests/admission/ (suites), tests/cli/requests.txt and tests/oracle/ (comparisons with Kubernetes).
#pragma once

#include <atomic>
#include <chrono>
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

class Authorizer;      // admission/authorization/authorizer.h
class Expression;      // interpreter/cel.h
class Program;         // interpreter/cel.h
class Watch;           // interpreter/cel.h
struct Document;       // admission/objects/document.h
struct ObjectsToLoad;  // admission/engine/objects_to_load.h
struct Mutation;       // admission/mutation.h
namespace crd {
class Definition;  // admission/crd/definition.h
}

// A kind that paramKind of a policy may name.
struct ParamKindInfo {
  std::string api_version, kind;
  bool namespaced = true;
};

// One version of a resource. Equivalent resources are versions of the same stored objects.
struct EquivalentResource {
  std::string group, version, resource, kind_group, kind_version, kind;
  // Whether only a conversion webhook, which nobody calls, could convert objects to the kind.
  bool by_webhook = false;
  LackingSubresources lacks = {};
};

// The input of Engine::load. `load` copies policies and bindings. It keeps references to the values of params
// and namespaces, which must outlive the Engine.
struct Cluster {
  std::vector<Value> policies, bindings;  // any served version; validating and mutating ones mixed
  std::vector<Value> configurations;      // of webhooks
  std::vector<Value> params;
  std::vector<Value> namespaces;
  std::vector<ParamKindInfo> param_kinds;  // complete if `closed_param_kinds`; else it only gives scopes
  bool closed_param_kinds = false;
  bool params_cluster_scoped = false;  // scope of all kinds that `param_kinds` lacks
  // Whether policies see params of built-in kinds as Go types, without unknown fields (builtin/normalize.h,
  // param_object).
  bool typed_params = false;
  std::vector<std::vector<EquivalentResource>> equivalents;
  // Definitions of the custom resources that mutating policies may change: their schemas merge the objects
  // and give them defaults. Built-in kinds have the schemas of Kubernetes 1.37. Mutation of a kind without
  // any schema fails with 503.
  std::vector<std::shared_ptr<const crd::Definition>> definitions;
  // Whether every namespace exists, with no label but its name, even if `namespaces` lacks it. If false,
  // requests in a namespace that is missing fail.
  bool assume_namespaces = false;
};

// The outcome of one validation, or of the whole evaluation if `validation` is -1, for explanations.
struct ValidationOutcome {
  enum class Kind : uint8_t {
    Passed,
    Failed,           // the expression evaluated to false
    Error,            // the expression did not compile or evaluate; `ignored` if failurePolicy is Ignore
    ConfigError,      // the policy or binding could not be applied (params, paramKind, selectors)
    AnnotationError,  // an audit annotation failed
    ConditionsFalse,  // matchConditions excluded the request
  };
  Kind kind = Kind::Passed;
  bool ignored = false;
  bool denied = false, warned = false, audited = false;
  std::string_view policy, binding;  // binding is empty for errors of the policy itself
  std::string_view param;            // namespace/name of the param, empty if none
  int validation = -1;               // index in spec.validations
  std::string_view expression, message, reason;
  uint64_t cost = 0;  // of the expression and of the variables that it evaluated first
  // The place of the cause of an error outside spec.validations: a field of the policy
  // ("spec.matchConditions", "spec.paramKind") or, if `of_binding`, of the binding ("spec.paramRef.name").
  // `item` is the index in that list. The field "spec.validations" means the message expression of `item`,
  // which exhausted the shared budget.
  std::string_view field;
  int item = -1;
  bool of_binding = false;
};

struct StatusCause {
  std::string_view message;
  std::string_view field = {}, reason = {};  // the refused field, and the type of the error
};

// The metav1.Status of a refusal.
struct Status {
  int code = 0;
  std::string_view reason, message;
  bool has_details = false;
  std::string_view name, group, kind;
  std::vector<StatusCause> causes;
  // The end of `message` that says that the request's namespace is missing; empty if it does not say so.
  std::string_view missing_namespace;
  void clear();  // keeps the capacity of `causes`
};

// The answer to a request. Its texts live in the ReviewContext until the next review with that context. Its
// vectors keep their capacity between reviews.
struct Decision {
  bool allowed = true;
  Status status;           // if not allowed
  std::string_view error;  // an error that is no Status, in place of `status`; the request is not allowed
  std::vector<std::string_view> warnings;  // in the order of emission, with duplicates
  std::vector<std::pair<std::string_view, std::string_view>> audit_annotations;  // sorted by key
  std::vector<ValidationOutcome> outcomes;  // filled if the context has `want_outcomes`
  int policies_matched = 0, bindings_matched = 0;
  bool incomplete = false;  // an ignored policy would see an object that only a conversion webhook makes
  void clear();
};

// Receives each expression of a policy that a review evaluated, so that a person can see why it failed and
// what it costs.
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
    // Evaluates again with a program that was made of the text of an expression or variable (ProgramOptions::watch, and
    // the paths of the engine). Returns the names of the variables that it read, each once.
    virtual std::vector<std::string_view> run(const Program& program, Watch& watch) = 0;
  };
  // A binding that applies to the request, before anything is evaluated for it.
  struct Bound {
    std::string_view policy, binding;
    bool mutating = false;    // of a MutatingAdmissionPolicy
    bool has_params = false;  // the binding refers to params
    size_t params = 0;        // the number of those that were found
    std::string_view error;   // why they cannot be found, as Kubernetes words it; empty if there is no error
  };
  virtual ~ReviewTrace() = default;
  // `replay` is valid during the call only.
  virtual void evaluated(const Evaluated& expression, Replay& replay) = 0;
  virtual void bound(const Bound&) {}
};

// The order in which mutating policies are invoked. The API server's order is random; ours is by name, unless
// a caller needs the result of another order.
struct MutationOrder {
  bool reversed = false;  // policies, bindings and params in reverse order
  std::string_view one,
      other;  // names of two matching policies that change places; empty: none do
};

// The memory that one thread uses for reviews.
class ReviewContext {
 public:
  ReviewContext();
  ~ReviewContext();
  ReviewContext(const ReviewContext&) = delete;
  ReviewContext& operator=(const ReviewContext&) = delete;

  // Answers the checks of `authorizer` expressions. If null, each check has the answer "no opinion". Must
  // outlive reviews.
  const Authorizer* authorizer = nullptr;
  bool want_outcomes = false;
  bool want_passed = true;   // false: no outcomes of validations that pass, nor of conditions that are false
  bool want_merges = false;  // whether outcomes of mutations hold merge steps
  MutationOrder order;       // its texts must outlive mutations
  // If set, only mutating policies run whose reinvocationPolicy is IfNeeded (true) or is not (false).
  std::optional<bool> reinvoked = {};
  // If not empty, only policies decide whose match constraints ask for these versions (MatchRules::asked_versions).
  // Must outlive reviews.
  std::string_view versions = {};
  ReviewTrace* trace = nullptr;  // may be null. Must outlive reviews

  // End a review or mutation, as Limits of an evaluation do. `interrupt` may be null, and must outlive reviews.
  const std::atomic<bool>* interrupt = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // Whether one of them ended an evaluation: what was decided since then is no verdict. The caller sets it to false
  // before a request.
  bool interrupted = false;

  // At most so many bytes of values made by reviews; expressions fail beyond. At first the bounds of an evaluation
  // alone.
  void set_max_memory(size_t bytes);

  struct State;
  State& state() { return *state_; }
  struct MutationState;
  MutationState& mutation_state();  // created at its first use

 private:
  std::unique_ptr<State> state_;
  std::unique_ptr<MutationState> mutation_state_;
};

// How a cluster tells an object from others. The namespace is empty if the kind is cluster-scoped.
struct ObjectName {
  std::string_view api_version, kind, name_space, name;
};

class Engine {
 public:
  // Decodes policies and bindings (leniently, as the storage of the API server does), applies defaults,
  // compiles and indexes. Fails only if an object is no policy or binding or does not decode. An expression
  // that does not compile is kept and fails at run time, as in the API server.
  static Result<std::shared_ptr<const Engine>> load(const Cluster& cluster);
  // The same for decoded objects. Takes from `options` only the options and kinds, never policies, bindings,
  // params or namespaces.
  static Result<std::shared_ptr<const Engine>> load(const ObjectsToLoad& objects, const Cluster& options);

  // Returns an engine with the compiled policies of this one and the params and namespaces of `data`. Of the
  // options of `data`, only `typed_params` has an effect. Fails if a param has a kind that this engine does
  // not know.
  Result<std::shared_ptr<const Engine>> exchange(const Cluster& data) const;
  // The same, but the params and namespaces of this engine stay, except those that are `gone` and those in whose place
  // `data` has others. Costs as much as what changes, besides a copy of the policies. Params and namespaces that
  // stay are shared.
  Result<std::shared_ptr<const Engine>> change(const Cluster& data, std::span<const ObjectName> gone) const;

  // Decides one request. Invalidates the previous decision made with `context`.
  void review(const AdmissionRequest& request, ReviewContext& context, Decision& decision) const;

  // Runs the mutating policies on one request, and some of them again where reinvocation asks for it.
  // Invalidates the previous mutation made with `context`, but no decision. A DELETE is never mutated.
  void mutate(const AdmissionRequest& request, ReviewContext& context, Mutation& mutation) const;
  // One pass (1 or 2) of `mutate`, for a chain in which others mutate, too. `request` has the object as it is now;
  // the second pass belongs to the same request. Sets all of `mutation` but `changed`.
  void mutate_pass(const AdmissionRequest& request, int pass, ReviewContext& context,
                   Mutation& mutation) const;
  // Mutates, then (if that succeeds) reviews the request with the mutated object, as the API server does. If
  // mutation refuses the request, `decision` holds the refusal, too. The API server defaults and validates
  // the object in between; `admit` does not. A caller that needs this calls `mutate` and `review` itself.
  void admit(const AdmissionRequest& request, ReviewContext& context, Mutation& mutation,
             Decision& decision) const;

  // Number of policies and bindings that can match; a policy without a binding cannot. Both include mutating
  // policies.
  size_t policy_count() const;
  size_t binding_count() const;
  bool has_mutations() const;  // is there a mutating policy with a binding?
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  struct Loaded;
  // What is loaded (admission/engine/loaded.h), for explanations (admission/engine/reach.h).
  const Loaded& loaded() const { return *loaded_; }

 private:
  explicit Engine(std::unique_ptr<Loaded> loaded);
  Result<std::shared_ptr<const Engine>> exchanged(const Cluster& data, bool keeps,
                                                  std::span<const ObjectName> gone) const;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace portcullis
