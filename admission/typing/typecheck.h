// Type checking of policies: what the API server writes into status.typeChecking, and more on request.
//
//   SchemaCatalog catalog;                                   // Kubernetes' own kinds; others can be added
//   TypeReport report = typecheck_policy(policy, catalog, TypecheckScope::ApiServer);
//   for (const ExpressionWarning& w : report.warnings) ...   // fieldRef and text, as in the status
//   for (const TypeIssue& i : report.issues) ...           // the same one by one, with place and suggestion
//
// Idea: matchConstraints of the policy name resources. For each of their kinds, `object` and `oldObject` have
// the type of the kind, `params` has that of paramKind, and every expression is checked. Nothing is
// evaluated. Source of behaviour: apiserver pkg/admission/plugin/policy/validating/typechecking.go, with its
// omissions: it ignores rules with wildcards and subresources, reports no errors of variables, does not
// declare `authorizer.requestResource`, and skips a kind without schema.
// Limits: kMaxTypesToCheck kinds per rule.
// Files in reading order: builtin.h, openapi.h, catalog.h, scalars/spelling.h, checked_kinds.h, checked.h,
// false_alarms.h, guards.h, request_facts.h, typecheck.h.
// Tested by typecheck_test.cc, tests/oracle/mutate_typecheck.py.
#pragma once

#include <string>
#include <vector>

#include "admission/builtin/registration.h"
#include "admission/typing/catalog.h"

namespace portcullis {

class SharedParses;  // grammar/shared_parses.h

enum class TypecheckScope : uint8_t {
  ApiServer,  // exactly what the API server checks: validations[*].expression and messageExpression
  // Also the fields of objects in variables, and variables, match conditions, audit annotations, result
  // types, and kinds from discovery.
  Everything
};

// An entry of status.typeChecking.expressionWarnings.
struct ExpressionWarning {
  std::string field;    // "spec.validations[0].expression"
  std::string warning;  // of all kinds, with source and caret lines
};

// One type error of an expression for one kind.
struct TypeIssue {
  std::string field;
  KindId kind;
  std::string message;     // "undefined field 'replica'"
  std::string suggestion;  // "replicas", or empty
  std::string why_false;   // why the error cannot occur at run time; empty: unknown
  std::string has_field;   // of an undefined field: a kind of the policy that has it, or empty
  Position position;       // in the expression; {0, 0}: unknown
  bool server = true;      // whether the API server would report it, too
};

struct TypeReport {
  std::string error;  // if not empty, the object does not decode as a ValidatingAdmissionPolicy
  std::vector<ExpressionWarning> warnings;
  std::vector<TypeIssue> issues;
  std::vector<KindId> kinds;  // the checked kinds
  KindId params;              // kind of params; empty: none
};

// Checks one policy. Thread-safe. `parses`: the shared parses of its expressions, used during the call only;
// may be null.
TypeReport typecheck_policy(const Decoded& policy, const SchemaCatalog& catalog, TypecheckScope scope,
                            SharedParses* parses = nullptr);

}  // namespace portcullis
