// See run_reporter.h.
#include "cli/reports/run_reporter.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/engine/stage.h"
#include "admission/expressions/environment.h"
#include "cli/formats/wording.h"
#include "cli/reports/excerpt.h"

namespace portcullis {
namespace {

using outcomes::Finding;
using outcomes::Item;
using outcomes::Region;

outcomes::Status result_status(const ReviewResult& r) {
  if (r.refusal) return outcomes::Status::Error;
  if (!r.allowed) return outcomes::Status::Failed;
  return r.warnings.empty() ? outcomes::Status::Passed : outcomes::Status::Warned;
}

// "limits/validations[0]".
std::string failure_rule(const ReviewFailure& f) {
  if (!f.definition.empty()) return f.definition + "/" + f.rule;
  if (f.validation >= 0) return fmt::format("{}/validations[{}]", f.policy, f.validation);
  if (f.mutation >= 0) return fmt::format("{}/mutations[{}]", f.policy, f.mutation);
  if (!f.conditions.empty()) return f.policy + "/matchConditions";
  return f.policy + (f.expression.empty() ? "/configuration" : "/auditAnnotations");
}

std::vector<outcomes::Part> parts_of(const std::vector<ExplainedPart>& parts) {
  std::vector<outcomes::Part> out;
  for (const ExplainedPart& p : parts) {
    std::string value = p.evaluated ? p.value : "";
    if (p.of > 0) value += fmt::format("  (element {} of {})", p.times, p.of);
    out.push_back({p.depth, p.text, std::move(value)});
  }
  return out;
}

// A webhook that denies, fails or is not asked.
Finding webhook_finding(const ReviewWebhook& w, const InputObject& object) {
  using Level = Finding::Level;
  const bool denied = w.outcome == "denied" || w.outcome == "failed";
  Finding out;
  out.level = denied ? Level::Error : Level::Note;
  out.action = w.outcome == "unknown" ? "not asked" : w.outcome;
  out.rule = w.configuration + "/" + w.webhook;
  out.policy = w.configuration;
  out.policy_place = {.file = w.file, .start = w.position};
  out.message = w.text;
  out.place = region_of(object, "");
  return out;
}

bool webhook_says_something(const ReviewWebhook& w) {
  return w.outcome == "denied" || w.outcome == "failed" || w.outcome == "ignored" || w.outcome == "unknown";
}

// A problem that no policy has found.
Finding own(Finding::Level level, std::string_view word, std::string text, const Region& place) {
  Finding out;
  out.level = level;
  out.action = formats::level_word(level);
  out.rule = "portcullis/" + std::string(word);
  out.message = std::move(text);
  out.place = place;
  return out;
}

void add_refusal_finding(Item& item, const Refusal& refusal) {
  Region place = region_at(*refusal.file, refusal.position);
  Finding f = own(Finding::Level::Error, "refused", refusal.text, place);
  f.action = "refused";
  f.hint = refusal.hint;
  item.findings.push_back(std::move(f));
}

// What the API server itself says of the object.
void add_server_findings(Item& item, const std::vector<ServerFinding>& findings, const InputObject& object) {
  for (const ServerFinding& finding : findings) {
    const Region place = region_at(*object.file, finding.position);
    const auto level = finding.is_warning ? Finding::Level::Warning : Finding::Level::Error;
    Finding f = finding.rule ? finding_of(*finding.rule, object) : own(level, finding.source, {}, place);
    f.message = finding.whole();
    f.place = place;
    f.hint = finding.hint;
    item.findings.push_back(std::move(f));
  }
}

}  // namespace

outcomes::Finding finding_of(const ReviewFailure& f, const InputObject& object) {
  using Level = Finding::Level;
  Finding out;
  out.level = f.denied ? Level::Error : f.warned ? Level::Warning : Level::Note;
  out.action = f.denied ? "denied" : f.warned ? "warning" : f.audited ? "audit" : "ignored";
  out.rule = failure_rule(f);
  out.policy = f.definition.empty() ? f.policy : f.definition;
  out.binding = f.binding;
  out.param = f.param;
  out.expression = f.expression;
  out.blame = f.blame;
  out.values = parts_of(f.values);
  out.policy_place = {.file = f.policy_file, .start = f.position};
  out.message = f.message;
  out.reason = f.reason;
  std::string path = f.subject;
  if (!path.empty() && object.kind == "AdmissionReview") path = "request.object." + path;
  out.place = region_of(object, path);
  return out;
}

std::string answered_version(const std::string& option) {
  return option.empty() ? fmt::format("1.{}", KubernetesVersion::kLast) : option;
}

void add_errors(outcomes::Run& run, std::span<const SaidError> errors) {
  for (const SaidError& e : errors) {
    Item item{.extra = true};
    item.suite = item.name = e.file.empty() ? "portcullis" : e.file;
    item.place = {.file = e.file, .start = e.position};
    item.status = outcomes::Status::Error;
    item.message = e.text;
    Finding f = own(Finding::Level::Error, "error", e.text, item.place);
    f.hint = e.hint;
    item.findings.push_back(std::move(f));
    run.items.push_back(std::move(item));
  }
}

void add_gates(outcomes::Run& run, std::span<const GateFailure> gates) {
  for (const GateFailure& g : gates) {
    Item item{.extra = true};
    item.suite = "portcullis";
    item.name = g.gate;
    item.status = outcomes::Status::Failed;
    item.message = g.text;
    item.findings.push_back(own(Finding::Level::Error, g.gate, g.text, item.place));
    run.items.push_back(std::move(item));
  }
}

void add_left_out(outcomes::Run& run, std::span<const LeftOut> files) {
  for (const LeftOut& file : files) {
    Item item{.extra = true};
    item.suite = item.name = file.file;
    item.place.file = file.file;
    item.status = outcomes::Status::Skipped;
    item.message = file.why;
    run.items.push_back(std::move(item));
  }
}

RunReporter::RunReporter(const std::string& kubernetes_version) : kubernetes_version_(kubernetes_version) {
  run_.command = "review";
  run_.noun = "manifest";
  run_.kubernetes = answered_version(kubernetes_version);
}

void RunReporter::add(const ReviewResult& r) {
  Item item = item_of(*r.object);
  item.name = full_name(r);
  item.api_version = r.api_version;
  item.kind = r.kind;
  item.namespace_name = r.namespace_name;
  item.object_name = r.name;
  item.operation = r.operation;
  item.status = result_status(r);
  item.message = r.message;
  if (r.refusal) add_refusal_finding(item, *r.refusal);
  add_server_findings(item, r.findings, *r.object);
  for (const Remark& remark : r.remarks) {
    const bool refused = remark.about == Remark::About::Refused;
    item.findings.push_back(own(refused ? Finding::Level::Warning : Finding::Level::Note,
                                refused ? "refused-by-server" : "assumed", remark.text,
                                region_at(*r.object->file, remark.position)));
  }
  for (const ReviewFailure& f : r.failures) item.findings.push_back(finding_of(f, *r.object));
  add_evaluated(item, r);
  for (const ReviewWebhook& w : r.webhooks) {
    if (webhook_says_something(w)) item.findings.push_back(webhook_finding(w, *r.object));
  }
  run_.items.push_back(std::move(item));
}

// The number of a rule, whose cost is at least this.
uint32_t RunReporter::rule(const outcomes::Rule& rule, const outcomes::Cost& cost) {
  auto [found, added] = rules_.emplace(rule.id, run_.rules.size());
  if (added) {
    run_.rules.push_back(rule);
    run_.costs.push_back(cost);
  }
  uint64_t& highest = run_.costs[found->second].cost;
  highest = std::max(highest, cost.cost);
  return found->second;
}

void RunReporter::add_evaluated(Item& item, const ReviewResult& r) {
  for (const ReviewEvaluated& e : r.evaluated) {
    const std::string label = fmt::format("validations[{}]", e.validation), policy(e.policy);
    const uint32_t number =
        rule({.id = policy + "/" + label, .policy = policy, .expression = std::string(e.expression)},
             {.policy = policy, .label = label, .cost = e.cost, .limit = kPerCallCostLimit});
    // Several bindings or params evaluate it again.
    if (e.passed && std::ranges::find(item.passed, number) == item.passed.end())
      item.passed.push_back(number);
  }
}

void RunReporter::take(Reporter& reporter) {
  outcomes::Run& part = static_cast<RunReporter&>(reporter).run_;
  std::vector<uint32_t> numbers;  // of the part's rules
  for (size_t i = 0; i < part.rules.size(); i++) numbers.push_back(rule(part.rules[i], part.costs[i]));
  for (Item& item : part.items) {
    for (uint32_t& passed : item.passed) passed = numbers[passed];
    run_.items.push_back(std::move(item));
  }
}

void RunReporter::add_gate(const GateFailure& failure) {
  size_t at = failure.result.value_or(run_.items.size());  // results are the first items
  if (failure.policy != nullptr) at = policies_.try_emplace(failure.policy, at).first->second;
  if (at == run_.items.size()) {
    run_.items.push_back(item_of(*failure.policy));
    run_.items.back().extra = true;
  }
  Item& item = run_.items[at];
  item.status = std::min(
      item.status, failure.gate.starts_with(kFailOn) ? outcomes::Status::Failed : outcomes::Status::Error);
  if (item.message.empty()) item.message = failure.text;
  item.findings.push_back(own(Finding::Level::Error, failure.gate, failure.text, item.place));
}

void RunReporter::finish(const Remainder& rest) {
  for (const GateFailure& failure : rest.gates) add_gate(failure);
  add_errors(run_, rest.errors);
  for (const NotEvaluated& n : rest.not_evaluated) {
    Item item = item_of(*n.object);
    item.extra = true;
    item.status = outcomes::Status::Skipped;
    item.message = n.why;
    run_.items.push_back(std::move(item));
  }
  add_left_out(run_, rest.left_out);
}

}  // namespace portcullis
