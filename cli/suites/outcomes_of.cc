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

void write_finding(JsonWriter& w, const Finding& f) {
  w.optional("actual", f.actual);
  w.optional("expected", f.expected);
  w.optional("expression", f.expression);
  w.optional("file", f.place.file);
  w.optional("line", f.place.start.line);
  w.optional("message", f.message);
  w.optional("policy", f.policy);
  w.optional("policyFile", f.policy_place.file);
  w.optional("policyLine", f.policy_place.start.line);
  w.optional("rule", f.rule);
  w.optional("values", f.values, [&](const outcomes::Part& p) {
    w.member("depth", p.depth);
    w.optional("text", p.text);
    w.optional("value", p.value);
  });
}

void write_item(JsonWriter& w, const Item& item) {
  w.list("findings", item.findings, [&](const Finding& f) { write_finding(w, f); });
  w.optional("kind", item.kind);
  w.optional("line", item.place.start.line);
  w.optional("message", item.message);
  w.optional("name", item.name);
  w.optional("object",
             item.namespace_name.empty() ? item.object_name : item.namespace_name + "/" + item.object_name);
  w.optional("outcome", word_of(item.status));
  w.optional("suite", item.suite);
}

}  // namespace

std::string to_json(const outcomes::Run& run, const std::function<void(JsonWriter&)>& more) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.list("cases", run.items, [&](const Item& item) { write_item(w, item); });
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
