// Policies and bindings as the engine uses them: parsed and compiled.
//
// Idea: loading does once what does not depend on the request, except the texts of denials, which are made when
// somebody is denied. Many policies are loaded for each that a request meets, so they are small: texts are views of
// one arena (CompiledPolicies::texts), and what policies have in common is there once. Source of behaviour: apiserver
// pkg/admission/plugin/policy/validating/plugin.go (compilePolicy), .../generic. Tested by
// admission/engine/engine_test.cc, tests/admission.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/engine/params.h"
#include "admission/expressions/expression.h"
#include "admission/matching/selector.h"

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

// An expression from the result of its compilation. Its texts are kept in `texts`, except `text`, which the caller
// keeps.
PolicyExpression policy_expression(std::string_view text, const CompiledExpression& compiled, Arena& texts);
// Adds a variable, likewise; the caller keeps its name, too. Of two of one name the later one counts, in the place of
// the earlier one.
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
// That of a policy's spec or of a webhook.
FailurePolicy failure_policy_of(const Data& object);
enum class Action : uint8_t { Deny, Warn, Audit };

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
  std::string_view name, policy;
  uint32_t match = 0;                             // its number in CompiledPolicies::rules
  bool mutating = false;                          // whether its policy is one
  std::shared_ptr<const ParamReference> param;    // null if the binding has none
  std::shared_ptr<const BindingActions> actions;  // those of all bindings with the same ones
  const Param* named = nullptr;                   // the param, if the binding names it and its namespace
};

struct LoadedPolicy {
  std::string_view name;
  std::string_view failure_text;  // as written
  uint32_t number = 0;            // among those that were added to PreparedPolicies
  uint32_t match = 0;             // its number in CompiledPolicies::rules
  FailurePolicy failure = FailurePolicy::Fail;
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
  uint32_t first_binding = 0, binding_count = 0;  // in CompiledPolicies::bindings
  // For mutating policies.
  std::vector<PolicyMutation> mutations;  // mutations with an expression of their patchType
  size_t mutation_count = 0;              // the number of spec.mutations; if it differs, no mutation can run
  bool reinvoked = false;                 // reinvocationPolicy IfNeeded
};

}  // namespace portcullis
