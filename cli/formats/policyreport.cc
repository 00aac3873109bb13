// Reports of openreports.io/v1alpha1, which dashboards of clusters read: a Report for each namespace, a ClusterReport for
// the rest, as YAML documents for kubectl.
//
// Idea: each rule that an item passed is a result "pass", each finding "fail", "warn", "error" or "skip", with the item
// as its resource. What is no object of a cluster (a file that cannot be read) is in the ClusterReport. Limits: no
// time, as it would differ between two runs; a cluster holds objects of at most 1.5 MB.
#include <array>
#include <map>
#include <ranges>

#include "cli/formats/formats.h"
#include "cli/formats/wording.h"
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

void write_properties(JsonWriter& w, const Line& line) {
  if (const Finding* f = line.finding) {
    w.optional("action", f->action);
    w.optional("binding", f->binding);
    w.optional("expression", f->expression);
    w.optional("param", f->param);
    if (!f->policy_place.file.empty()) w.member("policyPlace", place_of(f->policy_place));
    w.optional("reason", f->reason);
  }
  w.optional("source", place_of(line.item->place));
}

void write_result(JsonWriter& w, const Line& line) {
  w.optional("message", line.message);
  w.optional("policy", line.policy);
  w.object("properties", [&] { write_properties(w, line); });
  if (!line.item->kind.empty()) {
    w.list("resources", std::views::single(line.item), [&](const Item* item) {
      w.optional("apiVersion", item->api_version);
      w.member("kind", item->kind);
      w.optional("name", item->object_name);
      w.optional("namespace", item->namespace_name);
    });
  }
  w.member("result", kOutcomes[line.outcome]);
  w.optional("rule", line.rule);
  w.member("scored", line.outcome != kWarn && line.outcome != kSkip);
  if (line.outcome == kError || line.outcome == kFail) w.member("severity", "high");
  if (line.outcome == kWarn) w.member("severity", "medium");
  w.member("source", "portcullis");
}

std::string report_json(const Run& run, const std::string& namespace_name, const Report& report) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.member("apiVersion", "openreports.io/v1alpha1");
  w.member("kind", namespace_name.empty() ? "ClusterReport" : "Report");
  w.object("metadata", [&] {
    w.member("name", "portcullis-" + run.command);
    w.optional("namespace", namespace_name);
  });
  w.list("results", report.lines, [&](const Line& line) { write_result(w, line); });
  w.member("source", "portcullis");
  w.object("summary", [&] {
    for (size_t i = 0; i < kOutcomes.size(); i++) w.member(kOutcomes[i], report.counts[i]);
  });
  w.end_object();
  return out;
}

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
    out += (out.empty() ? "" : "---\n") + json_as_yaml(report_json(run, namespace_name, report));
  }
  return out;
}

}  // namespace portcullis::formats
