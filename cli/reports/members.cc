#include "cli/reports/members.h"

#include "cli/messages/errors.h"
#include "cli/reports/report.h"

namespace portcullis {

void write_values(JsonWriter& w, const std::vector<ExplainedPart>& values) {
  w.optional("values", values, [&](const ExplainedPart& v) {
    w.member("depth", v.depth);
    w.member("evaluated", v.times);
    w.optional("expression", v.text);
    if (v.evaluated) w.member("value", v.value);
  });
}

// An expression and its place.
void write_expression(JsonWriter& w, const ExplainedExpression& e) {
  w.optional("column", e.position.column);
  w.optional("expression", e.text);
  w.optional("line", e.position.line);
}

void write_expressions(JsonWriter& w, std::string_view key, const std::vector<ExplainedExpression>& list) {
  w.optional(key, list, [&](const ExplainedExpression& e) {
    write_expression(w, e);
    w.optional("name", e.name);
    write_values(w, e.values);
  });
}

void write_refusal(JsonWriter& w, const ReviewResult& r) {
  if (!r.refusal) return;
  const Refusal& refusal = *r.refusal;
  w.object("error",
           [&] { write_error(w, refusal.file->name, refusal.position, refusal.text, refusal.hint); });
}

void write_object(JsonWriter& w, const ReviewResult& r) {
  w.member("file", r.object->file->name);
  std::vector<std::string> findings;
  if (r.refusal) findings.push_back(r.refusal->text);
  for (const ServerFinding& finding : r.findings) findings.push_back(finding.whole());
  w.optional("findings", findings);
  w.member("kind", r.kind);
  w.member("line", r.object->locate("").line);
  w.member("name", r.name);
  w.member("namespace", r.namespace_name);
}

void write_not_evaluated(JsonWriter& w, std::span<const NotEvaluated> objects) {
  w.optional("notEvaluated", objects, [&](const NotEvaluated& n) {
    w.member("file", n.object->file->name);
    w.member("kind", n.object->kind);
    w.member("line", n.object->locate("").line);
    w.member("name", n.object->name);
    w.member("why", n.why);
  });
}

void write_gates(JsonWriter& w, std::span<const GateFailure> failures) {
  w.list("gates", failures, [&](const GateFailure& f) {
    const bool of_object = f.line > 0;
    if (of_object) w.member("file", f.file);
    w.member("gate", f.gate);
    if (of_object) w.member("kind", f.kind);
    w.optional("line", f.line);
    if (of_object) w.member("name", f.name);
    w.member("text", f.text);
  });
}

void write_left_out(JsonWriter& w, std::span<const LeftOut> files) {
  w.optional("leftOut", files, [&](const LeftOut& l) {
    w.member("file", l.file);
    w.member("why", l.why);
  });
}

}  // namespace portcullis
