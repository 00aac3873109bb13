// Policies and bindings as the engine wants them: parsed, compiled, ready to be asked.
//
// Idea: everything that does not depend on the request is done here once, texts of messages included. Source
// of behaviour: apiserver pkg/admission/plugin/policy/validating/plugin.go (compilePolicy), .../generic.
// Tested by admission/engine/engine_test.cc, tests/admission.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "admission/admission.h"
#include "admission/builtin/registration.h"
#include "admission/engine/request_values.h"
#include "admission/expressions/expression.h"
#include "admission/matching/matching.h"

namespace portcullis {

// An expression of a policy with what is said when it cannot be evaluated.
struct PolicyExpression {
  std::string text;
  ProgramPtr program;         // null: it does not compile, or is not there
  std::string compile_error;  // "compilation error: ..."
  bool absent = false;        // an optional expression that was not given
};

struct PolicyVariable {
  std::string name, text;
  ProgramPtr program;
  std::string compile_error;  // "composited variable ... fails to compile: ..."
};

// What expressions of stored policies are compiled with.
inline constexpr ExpressionVersion kStoredExpressions = {.stored = true};

// An expression from what became of compiling it.
PolicyExpression policy_expression(std::string_view text, const CompiledExpression& compiled);
// Adds a variable, likewise. Of two of one name the later one counts, in the place of the earlier one.
void add_variable(std::vector<PolicyVariable>& variables, std::string_view name, std::string_view text,
                  const CompiledExpression& compiled);

struct PolicyValidation {
  std::string message;   // trimmed; used when there is no message expression or it gives nothing
  std::string fallback;  // "failed expression: ..."
  std::string reason;
};

struct PolicyAnnotation {
  std::string key;
  std::string audit_key;  // "<policy>/<key>"; empty if that is no key, then it is never published
};

enum class FailurePolicy : uint8_t { Fail, Ignore, Unknown };
enum class Action : uint8_t { Deny, Warn, Audit };

// A param object.
struct Param {
  std::string name_space, name;
  std::string key;  // "namespace/name"
  Value value, labels;
  Value
      in_mutations;  // of built-in kinds that are typed: Go structs without apiVersion and kind; else `value`
};

// The params of one kind, by key.
struct ParamStore {
  bool namespaced = true;
  std::vector<Param> params;
  // The param of this name; null if there is none.
  const Param* find(std::string_view name_space, std::string_view name) const;
};

// One mutation of a mutating policy.
struct PolicyMutation {
  bool json_patch = false;  // else ApplyConfiguration
  PolicyExpression expression;
};

struct ParamReference {
  bool present = false;
  std::string name, name_space;
  bool has_selector = false;
  LabelSelector selector;
  bool deny_missing = false;
};

struct PolicyBinding {
  std::string name, policy_name;
  MatchRules match;
  ParamReference param;
  std::vector<Action> actions;
  std::string actions_json;  // as written, for audit annotations
  std::string warning;       // "Validation failed for ...: "
  std::string denial;        // "ValidatingAdmissionPolicy '...' with binding '...' denied request: "
};

struct LoadedPolicy {
  std::string name;
  std::string denial;  // of the policy itself, without binding
  FailurePolicy failure = FailurePolicy::Fail;
  std::string failure_text;  // as written
  MatchRules match;
  bool has_param_kind = false;
  const ParamStore* params = nullptr;
  std::string configuration_error;
  std::vector<PolicyVariable> variables;
  bool uses_variables = false;
  std::vector<PolicyExpression> conditions, checks, messages, annotation_values;
  std::vector<PolicyValidation> validations;
  std::vector<PolicyAnnotation> annotations;
  std::vector<PolicyBinding> bindings;
  // Of mutating policies.
  std::vector<PolicyMutation> mutations;  // those that have an expression of their patchType
  size_t mutation_count = 0;              // of spec.mutations; if it differs, nothing can be evaluated
  bool reinvoked = false;                 // reinvocationPolicy IfNeeded
};

// Lookup by views, so that asking allocates nothing.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Which policies a request can match at all, by the resource that their rules name. Numbers are ascending.
class PolicyIndex {
 public:
  PolicyIndex() = default;
  explicit PolicyIndex(const std::vector<LoadedPolicy>& policies);
  const std::vector<uint32_t>& candidates(std::string_view resource, bool has_equivalents) const;

 private:
  // Policies whose rules name a resource, merged with those that name none.
  std::unordered_map<std::string, std::vector<uint32_t>, TextHash, std::equal_to<>> by_resource_;
  std::vector<uint32_t> unrestricted_, all_;
};

// Numbers of the variables that reviews set.
struct VariableNumbers {
  uint32_t object, old_object, request, namespace_object, params, authorizer, request_resource, variables;
  explicit VariableNumbers(const PathTable& paths);
};

// The same for pairs of texts.
struct TextPairLess {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::pair<std::string_view, std::string_view>(a.first, a.second) <
           std::pair<std::string_view, std::string_view>(b.first, b.second);
  }
};

// What engines with the same policies share, whatever their params and namespaces are. To copy it compiles nothing.
struct CompiledPolicies {
  std::shared_ptr<PathTable> paths;  // of all programs
  std::shared_ptr<const VariableNumbers> numbers;
  std::vector<LoadedPolicy> policies;  // validating, by name; only those with bindings
  std::vector<LoadedPolicy> mutating;  // likewise
  // Versions of resources, by the group and resource of each.
  std::map<std::pair<std::string, std::string>, size_t, TextPairLess> equivalent_key;
  std::map<size_t, std::vector<Equivalent>> equivalents;
  std::shared_ptr<Arena> equivalent_texts = std::make_shared<Arena>();
  PolicyIndex index, mutating_index;  // of `policies`, `mutating`
  std::vector<std::shared_ptr<const crd::Definition>> definitions;
  size_t binding_count = 0;
};

struct Engine::Loaded : CompiledPolicies {
  Arena arena;                                            // of params and namespaces
  std::map<std::string, ParamStore, std::less<>> params;  // by "group/version, Kind=kind"
  std::map<std::string, NamespaceValues, std::less<>> namespaces;
  bool assume_namespaces = false;

  const std::vector<Equivalent>* equivalents_of(const GroupVersionResource& resource) const;
};

// The objects of a cluster as they are loaded, policies and bindings decoded. What says nothing about objects (kinds
// of params, equivalents) stands in a Cluster beside it. For the time of loading: whoever makes it keeps what its
// objects are views of.
struct DecodedCluster {
  std::vector<std::shared_ptr<const Decoded>> policies, bindings;  // also those that do not decode
  std::vector<std::string> params;                                 // JSON, as a store holds them
  std::vector<Value> namespaces;
  SharedParses* parses = nullptr;  // of all who look at the policies; loading forgets them. May be null
};

}  // namespace portcullis
