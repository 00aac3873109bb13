// The places of expressions in policies and webhook configurations, one row each.
//
// Idea: all code that loads, validates, type-checks or costs a policy walks the same rows, and gets each
// expression with its row, index, field path and text. A new place is a new row.
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

#include "admission/builtin/data.h"
#include "admission/expressions/environment.h"

namespace portcullis {

class Type;   // typecheck/type.h
class Value;  // interpreter/values/value.h

// The role of an expression.
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

// The cost budget of an evaluation.
enum class ExpressionBudget : uint8_t {
  MatchConditions,  // kMatchConditionsCostBudget for all match conditions of a policy or webhook
  Validations,      // kPolicyCostBudget for all validations of a policy, then for their messages
  Annotations,      // kPolicyCostBudget for all audit annotations of a policy
  Mutation,         // kPolicyCostBudget for each mutation
  Reader,           // a variable: the budget of the first expression that reads it
};

struct ExpressionPlace {
  ExpressionRole role;
  std::string_view list;             // the path of the list of entries: "spec.validations"
  std::string_view field;            // the expression within an entry: "expression", "jsonPatch.expression"
  std::string_view name;             // the field of an entry that holds its name; empty: none
  std::vector<const Type*> results;  // allowed types of results; empty: any
  bool authorizer;                   // `authorizer` and `authorizer.requestResource` are declared
  bool variables;                    // `variables` is declared when the policy is written
  bool patch_types;                  // Object{} and JSONPatch{} are declared
  ExpressionBudget budget;
  // Validation trims white space around the text. A stored policy is compiled without trimming.
  bool trimmed;
  // An update compiles a text that the old object already had with the libraries of stored expressions. The
  // API server searches for it among the texts of this role.
  ExpressionRole earlier;

  // The declared variables. `params`: the policy has a paramKind.
  PolicyVariables declared(bool params) const { return {params, authorizer, patch_types}; }
};

// All rows. The rows of one list are adjacent.
std::span<const ExpressionPlace> expression_places();
// The row of a role in a policy.
const ExpressionPlace& place_of(ExpressionRole role);
// The row of a field path ("spec.validations[0].expression", "webhooks[1].matchConditions[0].expression");
// null if there is no expression at that path.
const ExpressionPlace* place_at(std::string_view path);
// The field path of the expression of an entry: "spec.validations[0].expression".
std::string expression_path(ExpressionRole role, size_t index);

// An expression at its place. The texts are views of the object.
struct PlacedExpression {
  const ExpressionPlace* place = nullptr;
  int webhook = -1;  // index in `webhooks`; -1: in a policy
  size_t index = 0;  // in the list
  std::string path;  // "spec.validations[0].expression"
  std::string_view name;
  std::string_view text;  // as written; may be empty
};

// The expressions of an object, in the order of the rows; those of one entry are adjacent. For a decoded
// object: the texts of all structs that are present. For an undecoded object: all members that are strings.
// Empty for objects other than policies and webhook configurations.
std::vector<PlacedExpression> expressions_of(const Data& object);
std::vector<PlacedExpression> expressions_of(const Value& object);

}  // namespace portcullis
