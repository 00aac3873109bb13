#include "cli/cluster/crd.h"

#include "admission/scalars/group_version.h"
#include "cli/cluster/rule_hints.h"
#include "cli/functions/function_hints.h"
#include "cli/reading/unknown_fields.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

// Puts each issue of a rule that does not compile at its position in the file, with a suggestion.
void place_issues(PolicyProblem& problem, const crd::RuleReport& report, const crd::Definition& definition) {
  const std::string path = document_path(report.path);
  const Value* node = find_path(problem.object->value, path);
  if (node == nullptr || !node->is(Kind::String)) return;
  std::string_view text = node->as_text();
  for (const CelIssue& issue : cel_issues(report.error)) {
    auto at = problem.object->place_in(path, text, issue.position);
    std::string hint = meant_field(issue.text, issue.position, text, report.path, definition);
    if (hint.empty() && issue.text.starts_with("undeclared reference to 'oldself'"))
      hint = "did you mean oldSelf?";
    if (hint.empty()) hint = meant_function(issue.text, issue.position, text, {1, KubernetesVersion::kLast});
    problem.findings.push_back({at.value_or(problem.position), std::string(issue.text), std::move(hint)});
  }
  if (!problem.findings.empty()) problem.position = problem.findings[0].position;
}

}  // namespace

void CustomResources::add(const std::vector<InputObject>& objects) {
  for (const InputObject& o : objects) definitions_.add(o);
}

namespace {
// `sent`: the object as given.
std::optional<CustomOutcome> with_unfitting(std::optional<DefinedOutcome> outcome, std::string_view version,
                                            const Value& sent) {
  if (!outcome) return std::nullopt;
  auto unfitting = with_suggestions(outcome->unknown, outcome->by->object->value, version, sent);
  return CustomOutcome{std::move(*outcome), std::move(unfitting)};
}
}  // namespace

std::optional<CustomOutcome> CustomResources::review(AdmissionRequest& request, Arena& arena,
                                                     const crd::FieldManagers* managers) const {
  std::optional<CustomOutcome> outcome = decode(request, arena, managers);
  if (outcome) Definitions::complete(request, *outcome, arena);
  return outcome;
}

std::optional<CustomOutcome> CustomResources::decode(AdmissionRequest& request, Arena& arena,
                                                     const crd::FieldManagers* managers) const {
  Value sent = request.object;
  return with_unfitting(definitions_.decode(request, arena, managers), request.kind.version, sent);
}

std::optional<CustomOutcome> CustomResources::stored(const InputObject& object, Arena& arena) const {
  const auto [group, version, well_formed] = split_api_version(object.api_version);
  return with_unfitting(definitions_.stored(object, arena), version, object.value);
}

std::optional<CustomResources::Refused> CustomResources::refused(const InputObject& object) const {
  const GivenDefinition* definition = definitions_.refused(object);
  if (definition == nullptr) return std::nullopt;
  // What rules may cost was not always what it is today.
  const bool costly = definition->first_error()->costly;
  return Refused{
      "the API server refuses the definition of this kind: " + definition->refusal(),
      costly ? "if a cluster has it already, give it with its status, as `kubectl get -o yaml` prints it"
             : ""};
}

std::vector<PolicyProblem> CustomResources::unreadable() const {
  std::vector<PolicyProblem> out;
  for (const GivenDefinition& e : definitions_.all()) {
    if (e.definition != nullptr) continue;
    out.push_back({.object = e.object,
                   .severity = Severity::Error,
                   .path = "spec",
                   .text = e.error,
                   .position = e.object->locate("spec", true)});
  }
  return out;
}

std::vector<PolicyProblem> CustomResources::problems() const {
  std::vector<PolicyProblem> out = unreadable();
  for (const GivenDefinition& e : definitions_.all()) {
    for (const builtin::UnknownField& f : e.unknown_fields()) {
      PolicyProblem problem{
          .object = e.object, .severity = Severity::Error, .path = f.path, .text = f.text()};
      problem.position = e.object->locate(f.path, true);
      problem.hint = unknown_field_hint(f);
      out.push_back(std::move(problem));
    }
    for (const crd::RuleReport& r : e.reports()) {
      if (r.error.empty()) continue;
      const std::string& path = r.path;
      PolicyProblem problem{
          .object = e.object, .severity = Severity::Error, .path = path, .text = r.message()};
      problem.position = e.object->locate(document_path(path), true);
      if (r.costly) problem.hint = "`portcullis cost` tells which bounds lower it";
      place_issues(problem, r, *e.definition);
      out.push_back(std::move(problem));
    }
  }
  return out;
}

}  // namespace portcullis
