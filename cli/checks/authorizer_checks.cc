// See authorizer_checks.h.
#include "cli/checks/authorizer_checks.h"

#include <algorithm>
#include <set>

#include "admission/expressions/expression_places.h"
#include "grammar/shared_parses.h"
#include "manifests/place.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

bool is_named(const Expr& e, std::string_view name) {
  return e.kind == ExprKind::Ident &&
         (e.name == name || (e.name.starts_with('.') && e.name.substr(1) == name));
}

// What an expression reads it by: "authorizer", or "variables.x" of a variable that reads it. Empty if it does not.
std::string reads_authorizer(const Expr& e, const std::set<std::string, std::less<>>& variables) {
  if (is_named(e, "authorizer")) return "authorizer";
  const bool variable = e.kind == ExprKind::Select && !e.test_only && is_named(*e.target, "variables");
  if (variable && variables.contains(e.name)) return "variables." + e.name;
  std::string found;
  for_each_child(e, [&](const Expr& child) {
    if (found.empty()) found = reads_authorizer(child, variables);
  });
  return found;
}

void add_problems_of(const InputObject& policy, SharedParses& parses, std::vector<PolicyProblem>& out) {
  const std::vector<PlacedExpression> all = expressions_of(policy.value);
  if (std::ranges::none_of(all, [](const auto& e) { return e.text.find("authorizer") != e.text.npos; }))
    return;
  std::set<std::string, std::less<>> variables;  // that read it
  for (const PlacedExpression& e : all) {
    const ExpressionRole role = e.place->role;
    const bool variable = role == ExpressionRole::Variable, message = role == ExpressionRole::Message;
    if (!variable && !message && role != ExpressionRole::Annotation) continue;
    const Parsed& parsed = parses.read(Source(e.text), stored_environment()->parse_options());
    if (!parsed.ok() || parsed.ast.root == nullptr) continue;
    const std::string by = reads_authorizer(*parsed.ast.root, variables);
    if (by.empty()) continue;
    if (variable) {
      variables.emplace(e.name);
      continue;
    }
    if (message && by == "authorizer") continue;  // the API server refuses it
    std::string text = by == "authorizer" ? "this reads authorizer" : by + " reads authorizer";
    text += message ? ", which no message expression has: reading it fails, and the message is another"
                    : ", which no audit annotation has: reading it fails, and failurePolicy decides";
    PolicyProblem& problem =
        out.emplace_back(&policy, Severity::Warning, e.path, std::move(text), policy.locate(e.path));
    problem.ours = true;
    problem.hint = "read it in a validation";
  }
}

}  // namespace

void add_authorizer_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& problems) {
  SharedParses parses;
  for (const InputObject* p : cluster.policies()) add_problems_of(*p, parses, problems);
}

}  // namespace portcullis
