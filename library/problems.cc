// See problems.h.
#include "library/problems.h"

#include "admission/expressions/expression_places.h"
#include "admission/policies/validation.h"
#include "interpreter/formats/text.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

using Severity = v1::Problem::Severity;

// A problem for each mistake of the expression at `path` that `message` displays; false if it displays none.
bool add_mistakes(const InputObject& object, const std::string& path, std::string_view message,
                  Problems& out) {
  auto issues = cel_issues(message);
  const Value* node = find_path(object.value, path);
  std::string_view text = node != nullptr && node->is(Kind::String) ? node->as_text() : "";
  const ExpressionPlace* place = place_at(path);
  if (place != nullptr && place->trimmed) text = trim_space(text);
  for (const CelIssue& issue : issues) {
    v1::Problem& p =
        out.emplace_back(problem_of(object, Severity::Error, path, path + ": " + std::string(issue.text)));
    auto at = object.place_in(path, text, issue.position);
    if (at) p.line = at->line, p.column = at->column;
  }
  return !issues.empty();
}

}  // namespace

v1::Problem problem_of(const InputObject& object, Severity severity, std::string_view path,
                       std::string text) {
  Position at = object.locate(path, true);
  return {severity,
          object.file->name,
          at.line,
          at.column,
          std::string(object.kind) + "/" + std::string(object.name),
          std::string(path),
          std::move(text)};
}

bool check(const InputObject& object, const Decoded& decoded, KubernetesVersion version, SharedParses& parses,
           ValidExpressions& valid, Problems& out) {
  ObjectReport report = check_decoded(decoded, {.version = version, .parses = &parses, .valid = &valid});
  auto add = [&](Severity severity, std::string_view path, std::string text) {
    out.push_back(problem_of(object, severity, path, std::move(text)));
  };
  for (const std::string* error : {&report.decode_error, &report.input_error}) {
    if (!error->empty()) add(Severity::Error, report.decode_error_place, *error);
  }
  for (const builtin::UnknownField& f : report.strict_errors) add(Severity::Error, f.path, f.text());
  for (const FieldError& e : report.errors) {
    if (!add_mistakes(object, e.field, e.detail, out)) add(Severity::Error, e.field, e.message);
  }
  for (const std::string& text : report.warnings) add(Severity::Warning, {}, text);
  return report.decode_error.empty() && report.input_error.empty();
}

void check(const GivenDefinition& given, Problems& out) {
  const GivenDefinition::DroppedFields dropped = given.dropped_fields();
  for (const builtin::UnknownField& f : dropped.reported)
    out.push_back(problem_of(*given.object, Severity::Error, f.path, f.text()));
  for (const builtin::UnknownField& f : dropped.unseen)
    out.push_back(problem_of(*given.object, Severity::Warning, f.path, f.text()));
  for (const crd::RuleReport& r : given.reports()) {
    if (r.error.empty() && r.warning.empty()) continue;
    std::string path = document_path(r.path);
    if (!r.warning.empty()) {
      out.push_back(problem_of(*given.object, Severity::Warning, path, r.warning));
      continue;
    }
    if (!add_mistakes(*given.object, path, r.error, out))
      out.push_back(problem_of(*given.object, Severity::Error, path, r.message()));
  }
}

}  // namespace portcullis
