#include "cli/cluster/crd.h"

#include <algorithm>
#include <span>
#include <utility>

#include "admission/scalars/group_version.h"
#include "cli/cluster/rule_hints.h"
#include "cli/functions/function_hints.h"
#include "cli/messages/messages.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reading/unquoted.h"
#include "grammar/quote.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/member.h"
#include "manifests/place.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

// Puts each issue of a rule that does not compile at its position in the file, with a suggestion.
void place_issues(PolicyProblem& problem, const crd::RuleReport& report, RuleHints& hints) {
  const std::string path = document_path(report.path);
  const Value* node = find_path(problem.object->value, path);
  if (node == nullptr || !node->is(Kind::String)) return;
  std::string_view text = node->as_text();
  for (const CelIssue& issue : cel_issues(report.error)) {
    auto at = problem.object->place_in(path, text, issue.position);
    std::string hint = hints.meant_field(issue.text, issue.position, text, report.path);
    if (hint.empty() && issue.text.starts_with("undeclared reference to 'oldself'"))
      hint = "did you mean oldSelf?";
    if (hint.empty()) hint = meant_function(issue.text, issue.position, text, {1, KubernetesVersion::kLast});
    problem.findings.push_back({at.value_or(problem.position), std::string(issue.text), std::move(hint)});
  }
  if (!problem.findings.empty()) problem.position = problem.findings[0].position;
}

// Where the cause of a report is in the file.
Position place_of(const InputObject& object, const crd::RuleReport& r) {
  const std::string path = document_path(r.path);
  constexpr std::string_view kColumn = ".JSONPath";  // jsonPath, as the server's internal form calls it
  if (path.ends_with(kColumn))
    return object.locate(path.substr(0, path.size() - kColumn.size()) + ".jsonPath", true);
  const Value* map = find_path(object.value, path);
  if ((path == "metadata.labels" || path == "metadata.annotations") && map != nullptr && map->is(Kind::Map)) {
    for (const MapEntry& e : map->as_map()) {
      const auto names = [&](const Value& v) {
        return v.is(Kind::String) && r.error.starts_with("Invalid value: " + quote(v.as_text()) + ":");
      };
      const bool key = names(e.key);
      if (key || names(e.value)) return object.locate(path + "[" + std::string(e.key.as_text()) + "]", key);
    }
  }
  return object.locate(path, true);
}

// The errors and warnings among the reports on a definition, with their places.
void add_reports(const InputObject& object, const crd::Definition& definition,
                 std::span<const crd::RuleReport> reports, std::vector<PolicyProblem>& out) {
  RuleHints hints(definition);
  for (const crd::RuleReport& r : reports) {
    const bool warns = !r.warning.empty();
    if (r.error.empty() && !warns) continue;
    PolicyProblem problem{.object = &object,
                          .severity = warns ? Severity::Warning : Severity::Error,
                          .path = r.path,
                          .text = warns ? r.warning : r.message()};
    problem.position = place_of(object, r);
    if (r.costly)
      problem.hint = r.path.ends_with(".messageExpression") ? "`portcullis cost` tells what costs most"
                                                            : "`portcullis cost` tells which bounds lower it";
    place_issues(problem, r, hints);
    out.push_back(std::move(problem));
  }
}

// The error of a report as one of a field.
FieldError field_error(const crd::RuleReport& r) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"Required value", "FieldValueRequired"},
      {"Duplicate value", "FieldValueDuplicate"},
      {"Unsupported value", "FieldValueNotSupported"},
      {"Forbidden", "FieldValueForbidden"},
      {"Too long", "FieldValueTooLong"},
      {"Too many", "FieldValueTooMany"},
      {"Internal error", "InternalError"}};
  FieldError out{.type = r.type.empty() ? "FieldValueInvalid" : r.type,
                 .field = r.server_path,
                 .detail = {},
                 .message = r.message(),
                 .bad_value = {}};
  for (const auto& [begins, type] : kTypes) {
    if (r.type.empty() && r.error.starts_with(begins)) out.type = type;
  }
  return out;
}

// The path of a rule of a version in its definition.
std::string rule_path(const InputObject& definition, std::string_view version, const crd::FailedRule& rule) {
  const Value* versions = find_path(definition.value, "spec.versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); i++) {
    if (text_member(versions->as_list()[i], "name") == version)
      return index("spec.versions", i) + ".schema.openAPIV3Schema." + rule.path + ".rule";
  }
  return {};
}

// Tells of which rule the error `number` of `outcome` is, if it is one's.
void add_rule(CustomOutcome::Error& e, const DefinedOutcome& outcome, size_t number) {
  const size_t first = outcome.errors.size() - std::min(outcome.errors.size(), outcome.rules.size());
  if (number < first || outcome.rules[number - first].path.empty()) return;
  const crd::FailedRule& rule = outcome.rules[number - first];
  const InputObject& definition = *outcome.by->object;
  e.rule = number - first;
  e.rule_path = rule_path(definition, outcome.version, rule);
  const bool is_known = e.text.find(rule.text) != std::string::npos;
  const bool one_line = rule.text.find('\n') == rule.text.npos;
  e.hint = "the rule is at " + place_text(definition.file->name, definition.locate(e.rule_path)) +
           (one_line && !is_known ? ": " + rule.text : std::string());
}

}  // namespace

void CustomResources::add(const std::vector<InputObject>& objects) {
  for (const InputObject& o : objects) definitions_.add(o);
}

void CustomResources::add(const ReviewCluster& cluster) {
  for (const InputObject* o : cluster.definition_objects()) definitions_.add(*o);
}

namespace {
// `sent`: the object as given.
std::optional<CustomOutcome> with_unfitting(std::optional<DefinedOutcome> outcome, const Value& sent) {
  if (!outcome) return std::nullopt;
  auto unfitting = with_suggestions(outcome->unknown, outcome->by->object->value, outcome->version, sent);
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
  return with_unfitting(definitions_.decode(request, arena, managers), sent);
}

std::optional<CustomOutcome> CustomResources::stored(const InputObject& object, Arena& arena) const {
  return with_unfitting(definitions_.stored(object, arena), object.value);
}

std::vector<CustomOutcome::Error> CustomOutcome::errors_of(const InputObject& object) const {
  std::vector<Error> out;
  if (!decode_error.empty())
    out.push_back({decode_error_path, "does not decode: " + decode_error,
                   unquoted_hint(object, decode_error_path, decode_error)});
  for (size_t i = 0; i < errors.size(); i++) {
    Error& e = out.emplace_back(Error{scale != nullptr ? "spec.replicas" : errors[i].field,
                                      "refused by its definition: " + errors[i].message,
                                      {}});
    e.error = &errors[i];
    add_rule(e, *this, i);
  }
  return out;
}

void CustomOutcome::say_errors(const InputObject& object) const {
  for (const Error& e : errors_of(object))
    say(Severity::Error, object.file->name, object.locate(e.path), e.text, object.file->text, e.hint);
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

std::vector<PolicyProblem> CustomResources::problems() const {
  std::vector<PolicyProblem> out;
  for (const GivenDefinition& e : definitions_.all()) {
    // Other versions have other rules, and no server has these versions any more; that is said already.
    if (split_api_version(e.object->api_version).version != "v1") continue;
    const GivenDefinition::DroppedFields dropped = e.dropped_fields();
    const auto add = [&](const builtin::UnknownField& f) -> PolicyProblem& {
      PolicyProblem problem{
          .object = e.object, .severity = Severity::Error, .path = f.path, .text = f.text()};
      problem.position = e.object->locate(f.path, true);
      problem.hint = unknown_field_hint(f);
      return out.emplace_back(std::move(problem));
    };
    for (const builtin::UnknownField& f : dropped.reported) add(f);
    for (const builtin::UnknownField& f : dropped.unseen) {
      PolicyProblem& problem = add(f);
      problem.severity = Severity::Warning;
      problem.ours = true;
      problem.hint =
          "the API server drops it and does not say so" + (problem.hint.empty() ? "" : "; " + problem.hint);
    }
    add_reports(*e.object, *e.definition, e.reports(), out);
  }
  return out;
}

WrittenDefinition CustomResources::written(const AdmissionRequest& request, const InputObject& object,
                                           bool mutated) {
  WrittenDefinition out;
  const bool writes = request.operation == Operation::Create || request.operation == Operation::Update;
  if (!writes || !request.subresource.empty() || request.kind.group != kDefinitionGroup ||
      request.kind.kind != "CustomResourceDefinition")
    return out;
  // The server looks at empty lists and maps, too. The decoded object of the request lacks them, the manifest has them; a
  // mutated object has none in the server, either.
  Arena arena;
  const Value* spec = mutated ? nullptr : find_member(object.value, "spec");
  const auto definition = crd::Definition::read(
      spec == nullptr ? request.object : with_member(arena, request.object, "spec", *spec));
  const bool updates = request.operation == Operation::Update;
  out.established = !updates && is_established(object.value, *definition);  // an update has the former state
  const auto old = updates ? crd::Definition::read(request.old_object) : definition;
  const auto reports = updates ? definition->check_update(*old) : definition->check();
  std::vector<PolicyProblem> problems;
  add_reports(object, *definition, reports, problems);
  for (PolicyProblem& p : problems) {
    if (p.severity == Severity::Error) {
      out.refused.push_back(std::move(p));
    } else if (std::ranges::find(out.warnings, p.text, &PolicyProblem::text) == out.warnings.end()) {
      out.warnings.push_back(std::move(p));  // a server sends each text once
    }
  }
  if (out.refused.empty()) return out;
  std::vector<FieldError> errors;
  for (const crd::RuleReport& r : reports) {
    if (!r.error.empty()) errors.push_back(field_error(r));
  }
  out.status = invalid_status({request.kind.group, {}, request.kind.kind}, request.name, errors);
  return out;
}

}  // namespace portcullis
