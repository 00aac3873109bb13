// See outcomes_of.h.
#include "cli/suites/outcomes_of.h"

#include "interpreter/values/json.h"

namespace portcullis::suites {
namespace {

using outcomes::Finding;
using outcomes::Item;

outcomes::Status status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed: return outcomes::Status::Passed;
    case Outcome::Failed: return outcomes::Status::Failed;
    case Outcome::Skipped: return outcomes::Status::Skipped;
    case Outcome::Unusable: return outcomes::Status::Error;
  }
  return outcomes::Status::Error;
}

outcomes::Region region_of_path(const Case& test, const std::string& path) {
  return {.file = test.suite->file->name, .start = test.suite->locate(path.empty() ? test.path : path)};
}

Finding mismatch_finding(const CaseResult& r, const Mismatch& m) {
  Finding f = m.cause.value_or(Finding());  // the expression with its values and its place
  f.level = Finding::Level::Error;
  f.reason.clear();
  f.action = "expected";
  f.rule = "suite/" + m.member;
  f.message = m.wrong ? m.expected : "expected " + m.expected + ", but came " + m.actual;
  f.expected = m.wrong ? "" : m.expected;
  f.actual = m.actual;
  f.place = region_of_path(*r.test, m.path);
  return f;
}

Item item_of(const CaseResult& r, const std::vector<Message>& messages) {
  Item item;
  item.suite = r.test->suite->file->name;
  item.name = r.name;
  item.api_version = r.api_version;
  item.kind = r.kind;
  item.namespace_name = r.namespace_name;
  item.object_name = r.object;
  item.place = region_of_path(*r.test, "");
  item.status = status_of(r.outcome);
  for (const Mismatch& m : r.mismatches) item.findings.push_back(mismatch_finding(r, m));
  if (!item.findings.empty()) item.message = item.findings[0].message;
  if (r.outcome == Outcome::Skipped) item.message = r.told;
  if (r.outcome != Outcome::Unusable || !item.findings.empty()) return item;
  item.message = "there is no verdict";
  for (const Message& m : messages) {
    if (m.severity != Severity::Error) continue;
    if (item.findings.empty()) item.message = m.text;
    Finding f;
    f.action = "error";
    f.rule = "portcullis/error";
    f.message = m.text;
    f.hint = m.hint;
    f.place = {.file = m.file, .start = m.position};
    item.findings.push_back(std::move(f));
  }
  return item;
}

std::string_view word_of(outcomes::Status status) {
  switch (status) {
    case outcomes::Status::Passed: return "passed";
    case outcomes::Status::Warned: return "warned";
    case outcomes::Status::Skipped: return "skipped";
    case outcomes::Status::Failed: return "failed";
    case outcomes::Status::Error: return "error";
  }
  return {};
}

void write_text(JsonWriter& w, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  w.key(key);
  w.string(text);
}

void write_line(JsonWriter& w, const outcomes::Region& place) {
  if (place.start.line == 0) return;
  w.key("line");
  w.integer(place.start.line);
}

void write_values(JsonWriter& w, const std::vector<outcomes::Part>& values) {
  if (values.empty()) return;
  w.key("values");
  w.begin_list();
  for (const outcomes::Part& p : values) {
    w.begin_object();
    w.key("depth");
    w.integer(p.depth);
    write_text(w, "text", p.text);
    write_text(w, "value", p.value);
    w.end_object();
  }
  w.end_list();
}

void write_finding(JsonWriter& w, const Finding& f) {
  w.begin_object();
  write_text(w, "actual", f.actual);
  write_text(w, "expected", f.expected);
  write_text(w, "expression", f.expression);
  write_text(w, "file", f.place.file);
  write_line(w, f.place);
  write_text(w, "message", f.message);
  write_text(w, "policy", f.policy);
  write_text(w, "policyFile", f.policy_place.file);
  if (f.policy_place.start.line > 0) {
    w.key("policyLine");
    w.integer(f.policy_place.start.line);
  }
  write_text(w, "rule", f.rule);
  write_values(w, f.values);
  w.end_object();
}

void write_item(JsonWriter& w, const Item& item) {
  w.begin_object();
  w.key("findings");
  w.begin_list();
  for (const Finding& f : item.findings) write_finding(w, f);
  w.end_list();
  write_text(w, "kind", item.kind);
  write_line(w, item.place);
  write_text(w, "message", item.message);
  write_text(w, "name", item.name);
  write_text(w, "object",
             item.namespace_name.empty() ? item.object_name : item.namespace_name + "/" + item.object_name);
  write_text(w, "outcome", word_of(item.status));
  write_text(w, "suite", item.suite);
  w.end_object();
}

}  // namespace

std::string to_json(const outcomes::Run& run, const std::function<void(JsonWriter&)>& more) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("cases");
  w.begin_list();
  for (const Item& item : run.items) write_item(w, item);
  w.end_list();
  more(w);
  w.end_object();
  return out + "\n";
}

void add_items(outcomes::Run& run, const SuiteResult& result) {
  for (const BatchResult& batch : result.batches) {
    for (const CaseResult& r : batch.cases) run.items.push_back(item_of(r, batch.messages));
  }
}

}  // namespace portcullis::suites
