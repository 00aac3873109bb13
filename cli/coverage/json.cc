// Coverage as JSON. See report.h.
#include "interpreter/values/json.h"

#include "cli/coverage/report.h"

namespace portcullis {
namespace {

std::string_view role_name(ExpressionRole role) {
  switch (role) {
    case ExpressionRole::MatchCondition: return "matchCondition";
    case ExpressionRole::Variable: return "variable";
    case ExpressionRole::Validation: return "validation";
    case ExpressionRole::Message: return "message";
    case ExpressionRole::Annotation: return "auditAnnotation";
    case ExpressionRole::ApplyConfiguration: return "applyConfiguration";
    case ExpressionRole::JsonPatch: return "jsonPatch";
  }
  return "";
}

void write_position(JsonWriter& w, Position position) {
  w.member("line", std::max(position.line, 0));
  w.member("column", std::max(position.column, 0));
}

void write_count(JsonWriter& w, const CoverageCount& count) {
  w.member("covered", count.covered);
  w.member("goals", count.goals);
  w.member("percent", count.percent());
}

void write_outcomes(JsonWriter& w, const Outcomes& o) {
  w.object("outcomes", [&] {
    w.member("true", o.yes);
    w.member("false", o.no);
    w.member("empty", o.empty);
    w.member("other", o.other);
    w.member("error", o.error);
  });
}

void write_binding(JsonWriter& w, const CoverageBinding& b) {
  w.member("name", b.name);
  w.member("file", b.file);
  write_position(w, b.position);
  w.member("applied", b.seen.times());
  if (!b.has_params) return;
  w.member("paramFound", b.seen.yes);
  w.member("paramMissing", b.seen.no);
}

void write_expression(JsonWriter& w, const CoverageExpression& e) {
  w.member("role", role_name(e.role));
  w.member("index", e.index);
  w.optional("name", e.name);
  w.member("path", e.path);
  w.member("expression", e.text);
  write_position(w, e.position);
  write_outcomes(w, e.whole);
  w.list("parts", e.parts, [&](const CoveragePart& part) {
    w.member("text", part.text);
    write_position(w, e.place(part));
    w.member("counts", part.counts);
    write_outcomes(w, e.outcomes(part));
  });
}

void write_policy(JsonWriter& w, const CoveragePolicy& p) {
  w.member("name", p.name);
  w.member("kind", p.kind);
  w.member("file", p.file);
  write_position(w, p.position);
  write_count(w, count_goals(p));
  if (!p.defines) {
    w.object("failurePolicy", [&] {
      w.member("value", p.failure_policy);
      w.member("denied", p.failures.no);
      w.member("ignored", p.failures.yes);
    });
    w.list("bindings", p.bindings, [&](const CoverageBinding& b) { write_binding(w, b); });
  }
  w.list("expressions", p.expressions, [&](const CoverageExpression& e) { write_expression(w, e); });
  w.list("missing", missing_goals(p), [&](const CoverageGoal& goal) {
    w.member("file", goal.file);
    write_position(w, goal.position);
    w.member("text", goal.missing);
  });
}

}  // namespace

std::string coverage_json(const Coverage& coverage) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  write_count(w, coverage.total());
  w.list("policies", coverage.policies(), [&](const CoveragePolicy* p) { write_policy(w, *p); });
  w.end_object();
  return out + "\n";
}

}  // namespace portcullis
