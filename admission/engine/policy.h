// Policies, bindings and webhooks as the engine uses them: parsed, compiled and indexed.
//
// Idea: loading does once what does not depend on the request, except the texts of denials, which are made when somebody
// is denied. Many policies are loaded for each that a request meets, so they are small: texts are views of one arena
// (CompiledPolicies::texts), and what policies have in common is there once. Source of behaviour: apiserver
// pkg/admission/plugin/policy/validating/plugin.go (compilePolicy), .../generic. Tested by
// admission/engine/engine_test.cc, tests/admission.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "admission/admission.h"
#include "admission/builtin/registration.h"
#include "admission/engine/request_values.h"
#include "admission/expressions/expression.h"
#include "admission/matching/matching.h"

namespace portcullis {

// An expression of a policy, and the error if it cannot be evaluated.
struct PolicyExpression {
  std::string_view text;
  ProgramPtr program;                // null: it is absent or does not compile
  std::string_view compile_error;    // "compilation error: ..."
  bool absent = false;               // the policy does not have this optional expression
  uint32_t memo = PathTable::kNone;  // for evaluate_once(); kNone if a request does not evaluate it twice
};

struct PolicyVariable {
  std::string_view name, text;
  ProgramPtr program;
  std::string_view compile_error;    // "composited variable ... fails to compile: ..."
  uint32_t memo = PathTable::kNone;  // likewise
};

// The libraries of the expressions of stored policies.
inline constexpr ExpressionVersion kStoredExpressions = {.stored = true};

// "group/version, Kind=kind", as Kubernetes prints a kind; the core group is empty.
std::string kind_text(std::string_view api_version, std::string_view kind);
// An expression from the result of its compilation. Its texts are kept in `texts`, except `text`, which the caller keeps.
PolicyExpression policy_expression(std::string_view text, const CompiledExpression& compiled, Arena& texts);
// Adds a variable, likewise; the caller keeps its name, too. Of two of one name the later one counts, in the place of the
// earlier one.
void add_variable(std::vector<PolicyVariable>& variables, std::string_view name, std::string_view text,
                  const CompiledExpression& compiled, Arena& texts);

struct PolicyValidation {
  std::string_view message;  // trimmed; used if there is no message expression or its value is unusable
  std::string_view reason;
};

struct PolicyAnnotation {
  std::string_view key;
  std::string_view audit_key;  // "<policy>/<key>"; empty if the key is invalid, then it is never published
};

enum class FailurePolicy : uint8_t { Fail, Ignore, Unknown };
enum class Action : uint8_t { Deny, Warn, Audit };

// A param object.
struct Param {
  std::string name_space, name;
  std::string key;  // "namespace/name"
  Value value, labels;
  Value in_mutations;  // typed params of built-in kinds: Go structs without apiVersion and kind; else `value`
  bool under_review = false;  // ObjectsToLoad::params_under_review

  // Whether `request` creates it, so that it does not exist yet.
  bool created_by(const AdmissionRequest& request) const;
};

// The params of one kind, by key.
struct ParamStore {
  bool namespaced = true;
  std::vector<Param> params;
  // The param of this name; null if there is none. Needs the table.
  const Param* find(std::string_view name_space, std::string_view name) const;
  // Makes the table of `params`, which then stay as they are.
  void make_table();

 private:
  std::vector<uint32_t> table_;  // by hash of the name, with a power of two of slots: a position + 1; 0: free
};

// One mutation of a mutating policy.
struct PolicyMutation {
  bool json_patch = false;  // else ApplyConfiguration
  PolicyExpression expression;
};

struct ParamReference {
  std::string name, name_space;
  bool has_selector = false;
  LabelSelector selector;
  bool deny_missing = false;
};

struct BindingActions {
  std::vector<Action> list;
  std::string json;  // as written, for audit annotations
};

struct PolicyBinding {
  std::string_view name;
  uint32_t match = 0;                             // its number in CompiledPolicies::rules
  std::shared_ptr<const ParamReference> param;    // null if the binding has none
  std::shared_ptr<const BindingActions> actions;  // those of all bindings with the same ones
  const Param* named = nullptr;                   // the param, if the binding names it and its namespace
};

struct LoadedPolicy {
  std::string_view name;
  FailurePolicy failure = FailurePolicy::Fail;
  std::string_view failure_text;  // as written
  uint32_t match = 0;             // its number in CompiledPolicies::rules
  bool has_param_kind = false;
  std::string_view param_kind;  // "group/version, Kind=kind"; empty if it is malformed
  const ParamStore* params = nullptr;
  std::string_view configuration_error;
  std::vector<PolicyVariable> variables;
  bool uses_variables = false;
  std::vector<PolicyExpression> conditions, checks, messages, annotation_values;
  bool has_messages = false;  // whether a message is an expression
  std::vector<PolicyValidation> validations;
  std::vector<PolicyAnnotation> annotations;
  std::vector<PolicyBinding> bindings;
  // For mutating policies.
  std::vector<PolicyMutation> mutations;  // mutations with an expression of their patchType
  size_t mutation_count = 0;              // the number of spec.mutations; if it differs, no mutation can run
  bool reinvoked = false;                 // reinvocationPolicy IfNeeded
};

// Where a webhook is reached: a URL or a service.
struct WebhookClient {
  bool has_service = false, has_url = false;  // the API server refuses both, and neither
  std::string url;
  std::string service_namespace, service_name, service_path;
  int64_t service_port = 0;
  std::string ca_bundle;  // base64; empty: the system's roots
};

enum class SideEffects : uint8_t { Absent, None, NoneOnDryRun, Other };

// A webhook of a configuration (engine/webhooks.h).
struct LoadedWebhook {
  std::string configuration, name;
  std::string uid;  // "configuration/name/n", n among webhooks of this name in the configuration
  bool mutating = false;
  size_t index = 0;  // in `webhooks` of the configuration
  MatchRules match;
  std::vector<PolicyExpression> conditions;
  std::vector<std::string> condition_names;
  FailurePolicy failure = FailurePolicy::Fail;
  SideEffects side_effects = SideEffects::Absent;
  bool reinvoked = false;  // reinvocationPolicy IfNeeded
  std::vector<std::string> review_versions;
  int64_t timeout_seconds = 0;  // 0: none
  WebhookClient client;
};

// A hash that allows lookup by views without allocation.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// The outcomes of rules for one request. Rules that many policies and bindings have are matched once.
class RuleOutcomes {
 public:
  // Starts a request. Rules and scene must outlive their use here.
  void begin(const std::vector<MatchRules>& rules, const MatchScene& scene);
  // The outcome of the rules with this number; stays where it is until the next request.
  const MatchOutcome& operator[](uint32_t number) {
    Known& known = known_[number];
    if (known.round != round_) [[unlikely]]
      known = {round_, (*rules_)[number].match(*scene_)};
    return known.outcome;
  }

 private:
  struct Known {
    uint64_t round = 0;  // of the request that it is the outcome for
    MatchOutcome outcome;
  };
  const std::vector<MatchRules>* rules_ = nullptr;
  const MatchScene* scene_ = nullptr;
  std::vector<Known> known_;
  uint64_t round_ = 0;
};

// The index from resources to the policies that can match them.
//
// Idea: policies with the same rules are one group, so the time of a request grows with the groups that its resource may
// concern and with the policies that match.
class PolicyIndex {
 public:
  PolicyIndex() = default;
  PolicyIndex(const std::vector<LoadedPolicy>& policies, const std::vector<MatchRules>& rules);
  // Appends the numbers of the policies whose rules match the request or fail, in ascending order. `scratch` keeps
  // its capacity.
  void find(const MatchScene& scene, RuleOutcomes& outcomes, std::vector<uint64_t>& scratch,
            std::vector<uint32_t>& out) const;

 private:
  struct Group {
    uint32_t rules = 0;
    std::vector<uint32_t> policies;
  };
  const std::vector<uint32_t>& candidates(std::string_view resource, bool has_equivalents) const;

  std::vector<Group> groups_;
  size_t policy_count_ = 0;
  // By resource: groups whose rules name it, merged with those that match any resource.
  std::unordered_map<std::string, std::vector<uint32_t>, TextHash, std::equal_to<>> by_resource_;
  std::vector<uint32_t> unrestricted_, all_;
};

// The numbers of the variables that reviews set.
struct VariableNumbers {
  uint32_t object, old_object, request, namespace_object, params, authorizer, request_resource, variables;
  explicit VariableNumbers(const PathTable& paths);
};

// A comparison of pairs of texts that allows lookup by views.
struct TextPairLess {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::pair<std::string_view, std::string_view>(a.first, a.second) <
           std::pair<std::string_view, std::string_view>(b.first, b.second);
  }
};

// The part of an engine that does not depend on params and namespaces. A copy compiles nothing.
struct CompiledPolicies {
  std::shared_ptr<PathTable> paths;  // of all programs
  std::shared_ptr<const VariableNumbers> numbers;
  std::shared_ptr<const std::vector<MatchRules>> rules;  // of policies and bindings, each once
  std::vector<LoadedPolicy> policies;  // validating policies, by name; only those with bindings
  std::vector<LoadedPolicy> mutating;  // mutating policies, likewise
  // By name of the configuration, then in its order.
  std::vector<LoadedWebhook> mutating_webhooks, validating_webhooks;
  // Equivalent versions of resources, by the group and resource of each version.
  std::map<std::pair<std::string, std::string>, size_t, TextPairLess> equivalent_key;
  std::map<size_t, std::vector<Equivalent>> equivalents;
  std::shared_ptr<Arena> texts;       // of policies, bindings and equivalents
  PolicyIndex index, mutating_index;  // of `policies`, `mutating`
  std::vector<std::shared_ptr<const crd::Definition>> definitions;
  size_t binding_count = 0;
};

struct Engine::Loaded : CompiledPolicies {
  Arena arena;                                            // holds params and namespaces
  std::map<std::string, ParamStore, std::less<>> params;  // by "group/version, Kind=kind"
  std::map<std::string, NamespaceValues, std::less<>> namespaces;
  bool assume_namespaces = false;

  const std::vector<Equivalent>* equivalents_of(const GroupVersionResource& resource) const;
};

class PreparedPolicies;  // admission/engine/prepared.h

// The place of a policy among prepared ones.
struct PreparedPlace {
  bool mutating;
  uint32_t number;
};

// A policy, binding or webhook configuration: decoded, or a value that is decoded while it is loaded, and only then. A
// policy may be prepared.
struct ClusterObject {
  explicit ClusterObject(std::shared_ptr<const Decoded> object) : decoded(std::move(object)) {}
  explicit ClusterObject(const Value& object) : value(object) {}
  explicit ClusterObject(PreparedPlace place) : prepared(place) {}
  std::shared_ptr<const Decoded> decoded;
  Value value;  // if it is neither decoded nor prepared
  std::optional<PreparedPlace> prepared;
};

// The objects of a cluster as `load` takes them. A Cluster beside it has the options (kinds of params, equivalents). It
// is used while loading only, and its maker owns what the objects refer to.
struct ObjectsToLoad {
  std::vector<ClusterObject> policies, bindings, configurations;  // including those that do not decode
  std::vector<std::string> params;  // JSON, as a cluster stores them; of two of one name the later one counts
  // So many of the first params are objects of requests. To the request that creates it, such a param does not exist.
  size_t params_under_review = 0;
  std::vector<Value> namespaces;
  PreparedPolicies* prepared = nullptr;  // loading takes them; null: there are none
  SharedParses* parses = nullptr;        // of all who look at the policies; loading forgets them. May be null
  ExpressionVersion expressions = kStoredExpressions;  // the libraries of policies, which a release may lack
};

}  // namespace portcullis
