// Reports of openreports.io/v1alpha1, which dashboards of clusters read: a Report for each namespace, a ClusterReport for
// the rest, as YAML documents for kubectl.
//
// Idea: each rule that an item passed is a result "pass", each finding "fail", "warn", "error" or "skip", with the item
// as its resource. What is no object of a cluster (a file that cannot be read) is in the ClusterReport. Limits: no
// time, as it would differ between two runs; a cluster holds objects of at most 1.5 MB.
#include <array>
#include <map>
#include <optional>

#include "cli/formats/formats.h"
#include "cli/formats/wording.h"
#include "cli/messages/visible.h"
#include "interpreter/values/json.h"
#include "manifests/yaml.h"

namespace portcullis::formats {
namespace {

using outcomes::Finding;
using outcomes::Item;
using outcomes::Run;
using outcomes::Status;

enum Outcome { kError, kFail, kPass, kSkip, kWarn };
constexpr std::array<std::string_view, 5> kOutcomes = {"error", "fail", "pass", "skip", "warn"};

struct Line {
  const Item* item;
  Outcome outcome;
  std::string policy, rule, message;
  const Finding* finding = nullptr;
};

struct Report {
  std::vector<Line> lines;
  std::array<int64_t, kOutcomes.size()> counts = {};
  void add(Line line) {
    counts[line.outcome]++;
    lines.push_back(std::move(line));
  }
};

Outcome outcome_of(const Item& item, const Finding& f) {
  if (item.status == Status::Skipped) return kSkip;
  if (f.level == Finding::Level::Error) return item.status == Status::Error ? kError : kFail;
  return kWarn;
}

// Rules are named POLICY/PLACE.
std::pair<std::string, std::string> split(std::string_view rule) {
  size_t slash = std::min(rule.find('/'), rule.size());
  return {std::string(rule.substr(0, slash)), std::string(rule.substr(std::min(slash + 1, rule.size())))};
}

class Writer {
 public:
  explicit Writer(std::string& out) : w_(out) {}

  void write(const Run& run, const std::string& namespace_name, const Report& report) {
    w_.begin_object();
    text("apiVersion", "openreports.io/v1alpha1");
    text("kind", namespace_name.empty() ? "ClusterReport" : "Report");
    w_.key("metadata");
    w_.begin_object();
    text("name", "portcullis-" + run.command);
    text("namespace", namespace_name);
    w_.end_object();
    w_.key("results");
    w_.begin_list();
    for (const Line& line : report.lines) result(line);
    w_.end_list();
    text("source", "portcullis");
    w_.key("summary");
    w_.begin_object();
    for (size_t i = 0; i < kOutcomes.size(); i++) {
      w_.key(kOutcomes[i]);
      w_.integer(report.counts[i]);
    }
    w_.end_object();
    w_.end_object();
  }

 private:
  void text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    w_.key(key);
    w_.string(value);
  }

  void result(const Line& line) {
    w_.begin_object();
    text("message", line.message);
    text("policy", line.policy);
    properties(line);
    resource(*line.item);
    text("result", kOutcomes[line.outcome]);
    text("rule", line.rule);
    w_.key("scored");
    w_.boolean(line.outcome != kWarn && line.outcome != kSkip);
    if (line.outcome == kError || line.outcome == kFail) text("severity", "high");
    if (line.outcome == kWarn) text("severity", "medium");
    text("source", "portcullis");
    w_.end_object();
  }

  void properties(const Line& line) {
    w_.key("properties");
    w_.begin_object();
    if (const Finding* f = line.finding) {
      text("action", f->action);
      text("binding", f->binding);
      text("expression", f->expression);
      text("param", f->param);
      if (!f->policy_place.file.empty()) text("policyPlace", place_of(f->policy_place));
      text("reason", f->reason);
    }
    text("source", place_of(line.item->place));
    w_.end_object();
  }

  void resource(const Item& item) {
    if (item.kind.empty()) return;
    w_.key("resources");
    w_.begin_list();
    w_.begin_object();
    text("apiVersion", item.api_version);
    text("kind", item.kind);
    text("name", item.object_name);
    text("namespace", item.namespace_name);
    w_.end_object();
    w_.end_list();
  }

  JsonWriter w_;
};

void add_results(Report& report, const Run& run, const Item& item) {
  for (uint32_t i : item.passed) {
    auto [policy, rule] = split(run.rules[i].id);
    report.add({&item, kPass, policy, rule, ""});
  }
  const auto findings = findings_of(item);
  for (size_t i = 0; i < findings.size(); i++) {
    const Finding& f = findings[i];
    auto [policy, rule] = split(f.rule);
    // Findings that are of the item itself outlive this call; an added one has no more than its message.
    const bool added = findings.size() > item.findings.size() && i == 0;
    const Finding* kept = added ? nullptr : &item.findings[i - (findings.size() - item.findings.size())];
    report.add({&item, outcome_of(item, f), policy, rule, f.message, kept});
  }
  if (item.passed.empty() && findings.empty())
    report.add({&item, kPass, "portcullis", "", run.command == "review" ? "no policy refuses it" : "passed"});
}

}  // namespace

std::string policyreport(const Run& run) {
  std::map<std::string, Report> reports;  // by namespace; "" is the cluster
  for (const Item& item : run.items) add_results(reports[item.namespace_name], run, item);
  if (reports.empty()) reports[""];
  std::string out;
  for (const auto& [namespace_name, report] : reports) {
    std::string json;
    Writer(json).write(run, namespace_name, report);
    out += (out.empty() ? "" : "---\n") + json_as_yaml(json);
  }
  return out;
}

}  // namespace portcullis::formats
