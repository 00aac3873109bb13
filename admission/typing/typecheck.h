// Type checking of policies: what the API server writes into status.typeChecking, and more on request.
//
//   SchemaCatalog catalog;                                   // Kubernetes' own kinds; others can be added
//   TypeReport report = typecheck_policy(policy, catalog, TypecheckScope::ApiServer);
//   for (const ExpressionWarning& w : report.warnings) ...   // fieldRef and text, as in the status
//   for (const TypeIssue& i : report.issues) ...             // the same apart, with place and suggestion
//
// Idea: the policy's matchConstraints name resources; for each kind behind them `object` and `oldObject` are
// that kind's type, `params` that of paramKind, and every expression is checked once a kind. Nothing is
// evaluated. Source of behaviour: apiserver pkg/admission/plugin/policy/validating/typechecking.go, with what
// follows from it: rules with wildcards and subresources are not looked at, errors of variables are not
// reported, `authorizer.requestResource` is not known, and a kind without schema is skipped.
// Limits: kMaxTypesToCheck kinds a rule. Files in reading order: builtin.h, openapi.h, catalog.h, spelling.h,
// false_alarms.h, typecheck.h. Tested by typecheck_test.cc, tests/oracle/mutate_typecheck.py.
#pragma once

#include <string>
#include <vector>

#include "admission/builtin/registration.h"
#include "admission/typing/catalog.h"

namespace portcullis {

class SharedParses;  // grammar/shared_parses.h

// As many kinds are resolved for a rule; then the search ends, also for the rules after it.
inline constexpr int kMaxTypesToCheck = 10;

enum class TypecheckScope : uint8_t {
  ApiServer,  // exactly what the API server checks: validations[*].expression and messageExpression
  // Also what is in objects that variables hold, variables, match conditions, audit annotations, result types, and
  // kinds from discovery.
  Everything
};

// An entry of status.typeChecking.expressionWarnings.
struct ExpressionWarning {
  std::string field;    // "spec.validations[0].expression"
  std::string warning;  // all kinds, with source and caret lines
};

// One mistake of an expression for one kind.
struct TypeIssue {
  std::string field;
  KindId kind;
  std::string message;     // "undefined field 'replica'"
  std::string suggestion;  // "replicas", or empty
  std::string why_false;   // why it is no mistake when the policy runs; empty: that is not known
  std::string has_field;   // of an undefined field: a kind of the policy that has it ("Deployment"), or empty
  Position position;       // in the expression; {0, 0}: no place in particular
  bool server = true;      // the API server would report it as well
};

struct TypeReport {
  std::string error;  // not empty: the object is no ValidatingAdmissionPolicy that decodes
  std::vector<ExpressionWarning> warnings;
  std::vector<TypeIssue> issues;
  std::vector<KindId> kinds;  // that were checked
  KindId params;              // kind of params; empty: none
};

// Checks one policy. Thread-safe. `parses`: of all who look at its expressions, for this call alone; may be null.
TypeReport typecheck_policy(const Decoded& policy, const SchemaCatalog& catalog, TypecheckScope scope,
                            SharedParses* parses = nullptr);

}  // namespace portcullis
