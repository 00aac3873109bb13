#include "cli/reports/members.h"

#include "cli/reports/report.h"

namespace portcullis {

void write_text(JsonWriter& w, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  w.key(key);
  w.string(value);
}

void write_place(JsonWriter& w, std::string_view key, int number) {
  if (number <= 0) return;
  w.key(key);
  w.integer(number);
}

void write_values(JsonWriter& w, const std::vector<ExplainedPart>& values) {
  if (values.empty()) return;
  w.key("values");
  w.begin_list();
  for (const ExplainedPart& v : values) {
    w.begin_object();
    w.key("depth");
    w.integer(v.depth);
    w.key("evaluated");
    w.integer(static_cast<int64_t>(v.times));
    write_text(w, "expression", v.text);
    if (v.evaluated) {
      w.key("value");
      w.string(v.value);
    }
    w.end_object();
  }
  w.end_list();
}

// An expression and its place.
void write_expression(JsonWriter& w, const ExplainedExpression& e) {
  write_place(w, "column", e.position.column);
  write_text(w, "expression", e.text);
  write_place(w, "line", e.position.line);
}

void write_expressions(JsonWriter& w, std::string_view key, const std::vector<ExplainedExpression>& list) {
  if (list.empty()) return;
  w.key(key);
  w.begin_list();
  for (const ExplainedExpression& e : list) {
    w.begin_object();
    write_expression(w, e);
    write_text(w, "name", e.name);
    write_values(w, e.values);
    w.end_object();
  }
  w.end_list();
}

void write_not_evaluated(JsonWriter& w, std::span<const NotEvaluated> objects) {
  w.key("notEvaluated");
  w.begin_list();
  for (const NotEvaluated& n : objects) {
    w.begin_object();
    w.key("file");
    w.string(n.object->file->name);
    w.key("kind");
    w.string(n.object->kind);
    w.key("line");
    w.integer(n.object->locate("").line);
    w.key("name");
    w.string(n.object->name);
    w.key("why");
    w.string(n.why);
    w.end_object();
  }
  w.end_list();
}

void write_gates(JsonWriter& w, std::span<const GateFailure> failures) {
  auto text = [&](std::string_view key, std::string_view value) {
    w.key(key);
    w.string(value);
  };
  w.key("gates");
  w.begin_list();
  for (const GateFailure& f : failures) {
    const bool of_object = f.line > 0;
    w.begin_object();
    if (of_object) text("file", f.file);
    text("gate", f.gate);
    if (of_object) text("kind", f.kind);
    write_place(w, "line", f.line);
    if (of_object) text("name", f.name);
    text("text", f.text);
    w.end_object();
  }
  w.end_list();
}

void write_left_out(JsonWriter& w, std::span<const LeftOut> files) {
  w.key("leftOut");
  w.begin_list();
  for (const LeftOut& l : files) {
    w.begin_object();
    w.key("file");
    w.string(l.file);
    w.key("why");
    w.string(l.why);
    w.end_object();
  }
  w.end_list();
}

}  // namespace portcullis
