#include "cli/crd.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/typing/spelling.h"
#include "cli/function_hints.h"
#include "cli/unknown_fields.h"
#include "cli/visible.h"
#include "grammar/escape.h"
#include "interpreter/values/json.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

// The path as documents are searched: properties[spec] is properties.spec.
std::string document_path(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    bool name = path[i] == '[' && i + 1 < path.size() && (path[i + 1] < '0' || path[i + 1] > '9');
    if (!name) {
      out += path[i];
      continue;
    }
    size_t end = std::min(path.find(']', i), path.size());
    out.append(".").append(path.substr(i + 1, end - i - 1));
    i = end;
  }
  return out;
}

// The names of all properties of the schemas in a definition, as expressions write them.
void collect_names(const Value& v, std::vector<std::string>& out) {
  if (v.is(Kind::List)) {
    for (const Value& item : v.as_list()) collect_names(item, out);
  }
  if (!v.is(Kind::Map)) return;
  for (const MapEntry& e : v.as_map()) {
    collect_names(e.value, out);
    if (e.key.as_text() != "properties" || !e.value.is(Kind::Map)) continue;
    for (const MapEntry& p : e.value.as_map()) {
      if (auto escaped = escape_property(p.key.as_text())) out.push_back(*escaped);
    }
  }
}

// Puts each issue of a rule that does not compile at its place in the file, with the property that
// was probably meant; `names` are collected for the first that asks.
void place_issues(PolicyProblem& problem, const std::string& path, std::string_view error,
                  std::vector<std::string>& names) {
  const Value* node = find_path(problem.object->value, path);
  if (node == nullptr || !node->is(Kind::String)) return;
  std::string_view text = node->as_text();
  for (const CelIssue& issue : cel_issues(error)) {
    auto at = place_in_scalar(problem.object->file->text, problem.object->locate(path), text,
                              offset_in(text, issue.position));
    std::string hint;
    if (issue.text.starts_with("undefined field '")) {
      if (names.empty()) collect_names(problem.object->value, names);
      std::string_view word = issue.text.substr(issue.text.find('\'') + 1);
      std::string_view meant = nearest(word.substr(0, word.rfind('\'')), names);
      if (!meant.empty()) hint = "did you mean " + std::string(meant) + "?";
    }
    if (hint.empty()) hint = meant_function(issue.text, issue.position, text, {1, KubernetesVersion::kLast});
    problem.findings.push_back({at.value_or(problem.position), std::string(issue.text), std::move(hint)});
  }
  if (!problem.findings.empty()) problem.position = problem.findings[0].position;
}

std::string amount(double n) { return n < 1e15 ? fmt::format("{:.0f}", n) : fmt::format("{:.2g}", n); }

}  // namespace

const std::vector<crd::RuleReport>& CustomResources::Entry::reports() const {
  if (!known) known = definition == nullptr ? std::vector<crd::RuleReport>{} : definition->check();
  return *known;
}

void CustomResources::add(const std::vector<InputObject>& objects) {
  for (const InputObject& o : objects) {
    if (role_of(o) != Role::Definition) continue;
    auto read = crd::Definition::read(o.value);
    definitions_.push_back({.object = &o,
                            .definition = read.ok() ? *read : nullptr,
                            .error = read.ok() ? std::string() : read.error().text});
  }
}

std::optional<CustomOutcome> CustomResources::review(AdmissionRequest& request, Arena& arena,
                                                     const crd::FieldManagers* managers) const {
  bool written = request.operation == Operation::Create || request.operation == Operation::Update;
  bool of_status = request.subresource == "status";
  if (!written || !(request.subresource.empty() || of_status) || !request.object.is(Kind::Map))
    return std::nullopt;
  for (const Entry& e : definitions_) {
    const crd::Definition* d = e.definition.get();
    if (d == nullptr || d->group != request.kind.group || d->kind != request.kind.kind ||
        !d->has_version(request.kind.version))
      continue;
    Context context;
    const Value* old = request.old_object.is(Kind::Map) ? &request.old_object : nullptr;
    CustomOutcome outcome{
        d->review(request.kind.version, request.object, old, arena, context, managers, of_status), {}};
    outcome.unfitting =
        with_suggestions(outcome.unknown, e.object->value, request.kind.version, request.object);
    outcome.warnings.erase(outcome.warnings.begin(),
                           outcome.warnings.begin() + static_cast<ptrdiff_t>(outcome.unknown.size()));
    request.object = outcome.object;
    if (old != nullptr) request.old_object = outcome.old;
    return outcome;
  }
  return std::nullopt;
}

std::string CustomResources::refusal(const InputObject& object) const {
  std::string_view group, version;
  split_api_version(object.api_version, group, version);
  for (const Entry& e : definitions_) {
    if (e.definition == nullptr || e.definition->group != group || e.definition->kind != object.kind)
      continue;
    auto error = std::ranges::find_if(e.reports(), [](const crd::RuleReport& r) { return !r.error.empty(); });
    if (error != e.reports().end()) return error->path + ": " + error->error;
  }
  return {};
}

std::optional<CustomOutcome> CustomResources::stored(const InputObject& object, Arena& arena) const {
  AdmissionRequest request;
  split_api_version(object.api_version, request.kind.group, request.kind.version);
  request.kind.kind = object.kind;
  request.operation = Operation::Create;
  request.object = object.value;
  if (!refusal(object).empty()) return std::nullopt;  // no server has a definition that it refuses
  std::optional<CustomOutcome> outcome = review(request, arena);
  if (!outcome || !outcome->decode_error.empty()) return outcome;
  // Creating drops the status where it is a subresource; what an update replaces keeps it.
  request.operation = Operation::Update;
  request.object = request.old_object = object.value;
  review(request, arena);
  outcome->object = request.old_object;
  return outcome;
}

std::vector<PolicyProblem> CustomResources::unreadable() const {
  std::vector<PolicyProblem> out;
  for (const Entry& e : definitions_) {
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
  for (const Entry& e : definitions_) {
    std::vector<std::string> names;
    for (const crd::RuleReport& r : e.reports()) {
      if (r.error.empty()) continue;
      const std::string& path = r.path;
      PolicyProblem problem{
          .object = e.object, .severity = Severity::Error, .path = path, .text = path + ": " + r.error};
      problem.position = e.object->locate(document_path(path), true);
      problem.hint = r.advice;
      place_issues(problem, document_path(path), r.error, names);
      out.push_back(std::move(problem));
    }
  }
  return out;
}

std::string CustomResources::cost_table() const {
  std::string out;
  for (const Entry& e : definitions_) {
    std::string rows;
    for (const crd::RuleReport& r : e.reports()) {
      if (r.rule.empty()) continue;
      Position at = e.object->locate(document_path(r.path + ".rule"), true);
      rows += fmt::format("  {:>5}  {:>20}  {:>12}  {}\n", at.line, amount(static_cast<double>(r.cost)),
                          amount(r.whole_cost), visible(r.rule));
    }
    if (rows.empty()) continue;
    out += fmt::format(
        "{}: CustomResourceDefinition {}: estimated cost of rules, at most 10000000 in all each\n",
        visible(e.object->file->name), visible(e.object->name));
    out += fmt::format("  {:>5}  {:>20}  {:>12}  {}\n", "line", "of one evaluation", "in all", "rule") + rows;
  }
  return out;
}

std::string CustomResources::costs_json() const {
  std::string out = "[";
  for (const Entry& e : definitions_) {
    std::string rules;
    for (const crd::RuleReport& r : e.reports()) {
      if (r.rule.empty()) continue;
      rules +=
          fmt::format("{}{{\"cost\":\"{}\",\"field\":{},\"rule\":{},\"total\":\"{:.0f}\"}}",
                      rules.empty() ? "" : ",", r.cost, quote_json(r.path), quote_json(r.rule), r.whole_cost);
    }
    out += fmt::format("{}{{\"name\":{},\"rules\":[{}]}}", out.size() > 1 ? "," : "",
                       quote_json(e.object->name), rules);
  }
  return out + "]";
}

}  // namespace portcullis
