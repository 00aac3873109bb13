// The places where expressions stand in policies and webhook configurations, one row a place.
//
// Idea: whoever loads, validates, type-checks or costs a policy walks the same rows and gets each
// expression with its row, its index, its field path and its text. A new place is a new row.
// Source of behaviour: k8s.io/kubernetes pkg/apis/admissionregistration/validation, apiserver
// pkg/admission/plugin/policy/{validating,mutating}/plugin.go, pkg/admission/plugin/webhook/accessors.go.
// Limits: the type checker of the API server declares less than these rows do (typing/typecheck.h).
// Tested by expression_places_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/registration.h"
#include "admission/expressions/environment.h"

namespace portcullis {

class Type;   // typecheck/type.h
class Value;  // interpreter/values/value.h

// What an expression is for.
enum class ExpressionRole : uint8_t {
  MatchCondition,
  Variable,
  Validation,
  Message,  // messageExpression of a validation
  Annotation,
  ApplyConfiguration,
  JsonPatch,
};
inline constexpr size_t kExpressionRoles = 7;

// What an evaluation is charged to.
enum class ExpressionBudget : uint8_t {
  MatchConditions,  // kMatchConditionsCostBudget for all match conditions of a policy or webhook
  Validations,      // kPolicyCostBudget for all validations of a policy, then for their messages
  Annotations,      // kPolicyCostBudget for all audit annotations of a policy
  Mutation,         // kPolicyCostBudget for each mutation
  Reader,           // a variable: what the first expression that reads it is charged to
};

struct ExpressionPlace {
  ExpressionRole role;
  std::string_view list;             // where the list of entries stands: "spec.validations"
  std::string_view field;            // the text within an entry: "expression", "jsonPatch.expression"
  std::string_view name;             // the field of an entry that names it; empty: it has no name
  std::vector<const Type*> results;  // types of results that are allowed; empty: any
  bool authorizer;                   // `authorizer` and `authorizer.requestResource` are declared
  bool variables;                    // `variables` is declared when the policy is written
  bool patch_types;                  // Object{} and JSONPatch{} are declared
  ExpressionBudget budget;
  // White space around the text does not count when the policy is written. A stored policy is compiled as it
  // stands.
  bool trimmed;
  // A text that stood there before an update is compiled with the libraries of stored expressions. The API
  // server looks for it among those of this role.
  ExpressionRole earlier;

  // What is declared. `params`: the policy has a paramKind.
  PolicyVariables declared(bool params) const { return {params, authorizer, patch_types}; }
};

// All rows. Those of one list stand together.
std::span<const ExpressionPlace> expression_places();
// The row of a role in a policy.
const ExpressionPlace& place_of(ExpressionRole role);
// The row of a field path ("spec.validations[0].expression", "webhooks[1].matchConditions[0].expression"); null if
// no expression stands there.
const ExpressionPlace* place_at(std::string_view path);
// The field path of the expression of an entry: "spec.validations[0].expression".
std::string expression_path(ExpressionRole role, size_t index);

// An expression where it stands. Texts are those of the object.
struct PlacedExpression {
  const ExpressionPlace* place = nullptr;
  int webhook = -1;  // index in `webhooks`; -1: in a policy
  size_t index = 0;  // in the list
  std::string path;  // "spec.validations[0].expression"
  std::string_view name;
  std::string_view text;  // as it is written; may be empty
};

// The expressions of an object in the order of the rows, those of one entry together. A decoded object gives each
// text of a struct that is there, an object as it is written each member that is a text. Other objects than policies
// and webhook configurations give nothing.
std::vector<PlacedExpression> expressions_of(const Data& object);
std::vector<PlacedExpression> expressions_of(const Value& object);

}  // namespace portcullis
