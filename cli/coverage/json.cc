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

class Writer {
 public:
  std::string write(const Coverage& coverage) {
    w_.begin_object();
    number("covered", coverage.total().covered);
    number("goals", coverage.total().goals);
    w_.key("percent");
    w_.real(coverage.total().percent());
    w_.key("policies");
    w_.begin_list();
    for (const CoveragePolicy* p : coverage.policies()) write(*p);
    w_.end_list();
    w_.end_object();
    return out_ + "\n";
  }

 private:
  void number(std::string_view name, uint64_t value) {
    w_.key(name);
    w_.integer(static_cast<int64_t>(value));
  }
  void text(std::string_view name, std::string_view value) {
    w_.key(name);
    w_.string(value);
  }
  void place(Position position) {
    number("line", static_cast<uint64_t>(std::max(position.line, 0)));
    number("column", static_cast<uint64_t>(std::max(position.column, 0)));
  }

  void write(const CoveragePolicy& p) {
    const CoverageCount count = count_goals(p);
    w_.begin_object();
    text("name", p.name);
    text("kind", p.kind);
    text("file", p.file);
    place(p.position);
    number("covered", count.covered);
    number("goals", count.goals);
    w_.key("percent");
    w_.real(count.percent());
    w_.key("failurePolicy");
    w_.begin_object();
    text("value", p.failure_policy);
    number("denied", p.failures.no);
    number("ignored", p.failures.yes);
    w_.end_object();
    w_.key("bindings");
    w_.begin_list();
    for (const CoverageBinding& b : p.bindings) write(b);
    w_.end_list();
    w_.key("expressions");
    w_.begin_list();
    for (const CoverageExpression& e : p.expressions) write(e);
    w_.end_list();
    w_.key("missing");
    w_.begin_list();
    for (const CoverageGoal& goal : missing_goals(p)) write(goal);
    w_.end_list();
    w_.end_object();
  }

  void write(const CoverageBinding& b) {
    w_.begin_object();
    text("name", b.name);
    text("file", b.file);
    place(b.position);
    number("applied", b.seen.times());
    if (b.has_params) {
      number("paramFound", b.seen.yes);
      number("paramMissing", b.seen.no);
    }
    w_.end_object();
  }

  void write(const CoverageExpression& e) {
    w_.begin_object();
    text("role", role_name(e.role));
    number("index", e.index);
    if (!e.name.empty()) text("name", e.name);
    text("path", e.path);
    text("expression", e.text);
    place(e.position);
    write(e.whole);
    w_.key("parts");
    w_.begin_list();
    for (const CoveragePart& part : e.parts) write(e, part);
    w_.end_list();
    w_.end_object();
  }

  void write(const CoverageExpression& e, const CoveragePart& part) {
    w_.begin_object();
    text("text", part.text);
    place(e.place(part));
    w_.key("counts");
    w_.boolean(part.counts);
    write(e.outcomes(part));
    w_.end_object();
  }

  void write(const Outcomes& o) {
    w_.key("outcomes");
    w_.begin_object();
    number("true", o.yes);
    number("false", o.no);
    number("empty", o.empty);
    number("other", o.other);
    number("error", o.error);
    w_.end_object();
  }

  void write(const CoverageGoal& goal) {
    w_.begin_object();
    text("file", goal.file);
    place(goal.position);
    text("text", goal.missing);
    w_.end_object();
  }

  std::string out_;
  JsonWriter w_{out_};
};

}  // namespace

std::string coverage_json(const Coverage& coverage) { return Writer().write(coverage); }

}  // namespace portcullis
