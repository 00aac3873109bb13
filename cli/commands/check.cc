// `portcullis check`: the API server's errors and warnings about policies and bindings, with positions in the
// files, and the costs of their expressions.
//
// Idea: the problems are those of `review` (cluster.h). Here they are the result and go to standard output,
// with a table of costs (costs.h) for each policy. docs/output.md documents the schema of `-o json`. Tested
// by tests/cli.py.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "admission/crd/rule_costs.h"
#include "admission/engine/stage.h"
#include "cli/checks/authorizer_checks.h"
#include "cli/checks/baseline.h"
#include "cli/checks/condition_checks.h"
#include "cli/checks/costs.h"
#include "cli/checks/measured_costs.h"
#include "cli/checks/mutation_checks.h"
#include "cli/checks/policy_types.h"
#include "cli/checks/rule_checks.h"
#include "cli/checks/webhook_checks.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/param_scopes.h"
#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/formats/outputs.h"
#include "cli/messages/destination.h"
#include "cli/messages/errors.h"
#include "cli/messages/output.h"
#include "cli/messages/visible.h"
#include "cli/reports/check_outcomes.h"
#include "cli/reports/members.h"
#include "cli/reports/run_reporter.h"
#include "cli/requests/rule_names.h"
#include "manifests/definitions.h"
#include "manifests/namespaces.h"
#include "manifests/other_engines.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

std::string_view severity_name(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

std::string plural(size_t n, std::string_view noun) {
  if (n == 1) return fmt::format("1 {}", noun);
  return noun.ends_with("y") ? fmt::format("{} {}ies", n, noun.substr(0, noun.size() - 1))
                             : fmt::format("{} {}s", n, noun);
}

std::string range(const ExpressionCost& cost) {
  if (!cost.estimated) return "does not compile";
  if (cost.min == cost.max) return fmt::format("{}", cost.min);
  return fmt::format("{} to {}", cost.min, cost_text(cost.max));
}

// The table of one policy: place, expression, static cost and, if measured, the cost and its share of the
// limit.
std::string cost_table(const PolicyCosts& costs, bool measured, const Paint& paint) {
  std::string out =
      fmt::format("{}{} {}{}  {}{}{}\n", paint.bold, visible(costs.object->kind), visible(costs.object->name),
                  paint.reset, paint.dim, visible(costs.object->file->name), paint.reset);
  size_t label = 10, static_width = 11;
  for (const ExpressionCost& c : costs.expressions) {
    label = std::max(label, c.label.size());
    static_width = std::max(static_width, range(c).size());
  }
  out += fmt::format("  {}line  {:<{}}  {:<{}}{}{}\n", paint.dim, "expression", label, "static cost",
                     measured ? static_width : 0, measured ? "  measured  of limit" : "", paint.reset);
  for (const ExpressionCost& c : costs.expressions) {
    out += fmt::format("  {:>4}  {:<{}}  {:<{}}", c.position.line, c.label, label, range(c),
                       measured ? static_width : 0);
    if (c.measured) {
      out += fmt::format("  {:>8}  {}", *c.measured, share_text(*c.measured, kPerCallCostLimit));
    } else if (measured && !c.part) {
      out += "  (charged to its first reader)";
    }
    out += "\n";
  }
  if (!measured) return out;
  if (costs.evaluations == 0)
    return out + "  not evaluated: no manifest of --object reaches it, or the API server refuses it\n";
  const bool mutating = is_mutating(*costs.object);
  const uint64_t most = mutating ? costs.mutation : costs.validations;
  out += fmt::format("  at most {} of the budget of {} for {} ({})", most, kPolicyCostBudget,
                     mutating ? "each mutation" : "validations", share_text(most, kPolicyCostBudget));
  if (costs.conditions > 0) {
    out += fmt::format(", {} of {} for match conditions ({})", costs.conditions, kMatchConditionsCostBudget,
                       share_text(costs.conditions, kMatchConditionsCostBudget));
  }
  if (costs.annotations > 0) {
    out += fmt::format(", {} of {} for audit annotations ({})", costs.annotations, kPolicyCostBudget,
                       share_text(costs.annotations, kPolicyCostBudget));
  }
  return out + fmt::format("; {}\n", plural(costs.evaluations, "evaluation"));
}

// The table of the rules of one definition; empty if it has none.
std::string rule_table(const GivenDefinition& given) {
  std::string rows;
  for (const crd::RuleReport& r : given.reports()) {
    if (r.rule.empty()) continue;
    const bool message = r.path.ends_with(".messageExpression");
    const Position at = given.object->locate(document_path(message ? r.path : r.path + ".rule"), true);
    const std::string one = r.compiles ? cost_text(r.cost) : "does not compile",
                      all = r.compiles ? cost_text(static_cast<uint64_t>(std::min(r.whole_cost, 1e19))) : "";
    rows += fmt::format("  {:>5}  {:>20}  {:>12}  {}\n", at.line, one, all, visible(r.rule));
  }
  if (rows.empty()) return {};
  return fmt::format("{}: CustomResourceDefinition {}: estimated cost of rules, at most {} in all each\n",
                     visible(given.object->file->name), visible(given.object->name), crd::kRuleCostLimit) +
         fmt::format("  {:>5}  {:>20}  {:>12}  {}\n", "line", "of one evaluation", "in all", "rule") + rows;
}

void write_rule_costs(JsonWriter& w, const GivenDefinition& given) {
  w.member("name", given.object->name);
  auto rules = given.reports() | std::views::filter([](auto& r) { return !r.rule.empty(); });
  w.list("rules", rules, [&](const crd::RuleReport& r) {
    if (r.compiles) w.member("cost", std::to_string(r.cost));
    w.member("field", r.path);
    w.member("rule", r.rule);
    if (r.compiles) w.member("total", fmt::format("{:.0f}", r.whole_cost));
  });
}

void write_problem(JsonWriter& w, const PolicyProblem& p) {
  w.member("column", p.position.column);
  w.member("field", p.path);
  w.member("file", p.object->file->name);
  w.list("findings", p.findings, [&](const PolicyProblem::Finding& f) {
    w.member("column", f.position.column);
    if (f.false_alarm) w.member("falseAlarm", true);
    w.optional("hint", f.hint);
    w.member("line", f.position.line);
    if (p.ours || f.ours) w.member("ours", true);
    w.member("text", f.text);
  });
  w.optional("hint", p.hint);
  w.member("kind", p.object->kind);
  w.member("line", p.position.line);
  w.member("name", p.object->name);
  if (p.ours) w.member("ours", true);
  w.member("severity", severity_name(p.severity));
  w.member("text", p.text);
}

void write_costs(JsonWriter& w, const PolicyCosts& costs) {
  w.member("evaluations", costs.evaluations);
  w.list("expressions", costs.expressions, [&](const ExpressionCost& c) {
    w.member("field", c.path);
    w.member("line", c.position.line);
    if (c.estimated) w.member("max", std::to_string(c.max));
    if (c.measured) w.member("measured", *c.measured);
    if (c.estimated) w.member("min", std::to_string(c.min));
  });
  w.member("file", costs.object->file->name);
  w.member("kind", costs.object->kind);
  w.member("name", costs.object->name);
}

class Check {
 public:
  Check(const CheckOptions& options, Outputs& outputs) : options_(options), outputs_(outputs) {}

  int run() {
    if (options_.policies.empty()) return usage("no policies given; - is standard input");
    if (const std::string& which = options_.fail_on_warn; !which.empty() && which != "real" && which != "all")
      return usage("--fail-on-warn=" + which + ": want real or all");
    if (!options_.kubernetes_version.empty()) {
      auto version = parse_kubernetes_version(options_.kubernetes_version);
      if (!version.ok()) return usage(version.error().text);
      version_ = *version;
    }
    policies_ = inputs_.read(options_.policies, options_.reading);
    manifests_ = inputs_.read(options_.objects, options_.reading, true);
    cluster_.add(policies_, true);
    cluster_.add(manifests_, false, ReviewCluster::Use::Reviewed);
    if (!know_kinds()) return give_up();
    customs_.add(policies_);
    bool nothing = cluster_.policies().empty() && cluster_.bindings().empty() &&
                   cluster_.configurations().empty() && customs_.empty();
    if (nothing && inputs_.errors() == 0) {
      say(Severity::Error, {}, {},
          "no policies, bindings, webhook configurations or CustomResourceDefinitions in " +
              list_files(options_.policies, options_.reading.recursive),
          {}, other_engines_hint(policies_));
    }
    if (nothing) return give_up();
    if (const auto others = other_engines(policies_, cluster_)) {
      const InputObject& o = *others->first;
      say(Severity::Warning, o.file->name, o.locate("kind"), others->text, o.file->text, others->hint);
    }
    if (!add_schemas(catalog_, options_.openapi, policies_) || !add_schemas(catalog_, {}, manifests_))
      return give_up();
    find_problems();
    for (auto* list : {&cluster_.policies(), &cluster_.configurations()}) {
      for (const InputObject* p : *list) add_costs(*p);
    }
    const MeasuredFiles files{policies_, manifests_, cluster_, scopes_, inputs_.arena()};
    if (!options_.objects.empty() && !measure_costs(files, costs_, problems_)) return give_up();
    if (!leave_out_known()) return give_up();
    print(true);
    return printed(Severity::Error) > 0 ? kNoVerdict : failed_gates().empty() ? kAdmitted : kDenied;
  }

 private:
  void find_problems() {
    problems_ = cluster_.problems(version_, false,
                                  {.expression =
                                       [&](const auto& object, const auto& path, const auto& compiled) {
                                         estimates_.add(object, path, compiled);
                                         compiled_.add(object, path, compiled);
                                       },
                                   .object = [&](const InputObject& object) { check_types(object); }});
    if (inputs_.errors() > 0) std::erase_if(problems_, [](const PolicyProblem& p) { return p.of_set; });
    add_rule_problems(cluster_, problems_);
    for (PolicyProblem& p : customs_.problems()) problems_.push_back(std::move(p));
    const WrongFields wrong(problems_);
    for (const InputObject* p : cluster_.policies()) {
      if (auto found = types_.find(p); found != types_.end())
        add_type_problems(*p, found->second, wrong, problems_);
    }
    add_authorizer_problems(cluster_, problems_);
    add_mutation_problems(cluster_, compiled_, definitions(), problems_);
    ServedByCluster served(cluster_.resources());
    add_condition_problems(cluster_, compiled_, served, problems_);
    add_webhook_problems(cluster_, compiled_, served, problems_);
  }

  // False if the file of known warnings cannot be read or written.
  bool leave_out_known() {
    Baseline baseline;
    const bool complete = printed(Severity::Error) == 0;
    if (!options_.write_baseline.empty()) {
      if (!complete) {
        say(Severity::Note, {}, {},
            options_.write_baseline + " is not written: with errors, warnings may be missing");
        return true;
      }
      baseline.add(problems_);
      Destination file(options_.write_baseline);
      file.put(baseline.text());
      if (!file.close()) return false;
    } else if (options_.baseline.empty()) {
      return true;
    } else if (!baseline.read(options_.baseline)) {
      return false;
    }
    known_ = baseline.take_known(problems_);
    if (complete) baseline.say_stale(policies_);
    return true;
  }

  int usage(std::string_view text) {
    say(Severity::Error, {}, {}, text);
    if (outputs_.wants_run()) outputs_.put(as_run());
    return kNoVerdict;
  }

  // Nothing can be checked; standard error has the reasons for people.
  int give_up() {
    print(false);
    return kNoVerdict;
  }

  std::vector<std::shared_ptr<const crd::Definition>> definitions() const {
    CustomResources all;
    for (const auto* objects : {&policies_, &manifests_}) all.add(*objects);
    return all.all();
  }

  // Everything that is decoded and parsed of an object is looked at one object after the other, so that of many
  // policies one at a time is held; unless they are to be loaded.
  void check_types(const InputObject& object) {
    if (role_of(object) == Role::Policy && !is_mutating(object)) {
      TypecheckScope scope = options_.types ? TypecheckScope::Everything : TypecheckScope::ApiServer;
      PolicyObjects& objects = cluster_.objects();
      TypeReport report = typecheck_policy(objects.decoded(object), catalog_, scope, &objects.parses());
      if (!report.issues.empty()) types_.emplace(&object, std::move(report));
    }
    if (options_.objects.empty()) cluster_.objects().forget();
  }

  void add_costs(const InputObject& policy) {
    PolicyCosts costs = static_costs(policy, version_, estimates_, cluster_.objects().parses());
    if (!costs.expressions.empty()) costs_.push_back(std::move(costs));
  }

  // False if an option makes no sense.
  bool know_kinds() {
    Resources& resources = cluster_.resources();
    std::vector<InputObject>* all[] = {&policies_, &manifests_};
    cluster_.typed_params = true;
    cluster_.definitions = &customs_;
    if (!options_.kubernetes_version.empty()) resources.set_minor(version_.minor);
    add_rule_names(cluster_, resources);
    if (!scopes_.find(cluster_, all, options_.param_scopes, resources)) return false;
    for (auto* objects : all) settle(*objects, resources, kDefaultNamespace, inputs_.arena());
    return true;
  }

  // `complete`: everything was checked; what was not has no text for people.
  void print(bool complete) {
    for (Outputs::Output& o : outputs_.all()) {
      if (o.format == "json" || o.format == "yaml") o.destination.put(as_data(o.format));
      if (o.format == "text" && complete) o.destination.print(text(o.destination.colour()));
    }
    if (outputs_.wants_run()) outputs_.put(as_run());
  }

  std::string text(bool colour) const {
    const Paint& paint = portcullis::paint(colour);
    std::string out;
    for (const PolicyProblem& p : problems_) out += problem_text(p, paint);
    for (const PolicyCosts& c : costs_) {
      if (!options_.quiet) out += cost_table(c, !options_.objects.empty(), paint);
    }
    for (const GivenDefinition& given : customs_.given()) {
      if (!options_.quiet) out += rule_table(given);
    }
    return out + summary();
  }

  outcomes::Run as_run() const {
    outcomes::Run run = check_outcomes(policies_, problems_, costs_);
    run.kubernetes = answered_version(options_.kubernetes_version);
    add_gates(run, failed_gates());
    add_errors(run, said_errors());
    add_left_out(run, inputs_.left_out());
    return run;
  }

  std::string summary() const {
    std::string out =
        plural(cluster_.policies().size(), "policy") + ", " + plural(cluster_.bindings().size(), "binding");
    if (!customs_.empty()) out += ", " + plural(customs_.count(), "definition");
    if (size_t webhooks = cluster_.configurations().size())
      out += ", " + plural(webhooks, "webhook configuration");
    return out + ": " + plural(printed(Severity::Error), "error") + ", " +
           plural(printed(Severity::Warning), "warning") + false_alarm_words() +
           (known_ == 0 ? "" : " besides " + plural(known_, "known one")) + "\n";
  }

  // Of the warnings.
  size_t false_alarms() const {
    size_t count = 0;
    for (const PolicyProblem& p : problems_)
      count +=
          static_cast<size_t>(std::ranges::count(p.findings, true, &PolicyProblem::Finding::false_alarm));
    return count;
  }

  std::string false_alarm_words() const {
    const size_t count = false_alarms();
    return count == 0 ? "" : fmt::format(" ({})", plural(count, "false alarm"));
  }

  // The number of messages of a severity for people: findings, and messages on standard error.
  size_t printed(Severity severity) const {
    size_t count = severity == Severity::Error ? said_errors().size() : said_warnings();
    for (const PolicyProblem& p : problems_) {
      if (p.severity == severity) count += std::max<size_t>(1, p.findings.size());
    }
    return count;
  }

  // --fail-on-warn, if there are warnings that it counts.
  std::vector<GateFailure> failed_gates() const {
    if (options_.fail_on_warn.empty()) return {};
    const bool all = options_.fail_on_warn == "all";
    const size_t warnings = printed(Severity::Warning) - (all ? 0 : false_alarms());
    if (warnings == 0) return {};
    std::string text = plural(warnings, "warning");
    if (!all && false_alarms() > 0) text += " besides " + plural(false_alarms(), "false alarm");
    return {{.gate = "fail-on-warn",
             .text = text + ", and --fail-on-warn" + (all ? "=all" : "") + " allows none"}};
  }

  std::string as_data(std::string_view format) const {
    std::string out;
    JsonWriter w(out);
    w.begin_object();
    w.list("costs", costs_, [&](const PolicyCosts& c) { write_costs(w, c); });
    w.optional("definitions", customs_.given(),
               [&](const GivenDefinition& given) { write_rule_costs(w, given); });
    write_errors(w, said_errors());
    if (!options_.fail_on_warn.empty()) write_gates(w, failed_gates());
    w.optional("knownWarnings", known_);
    w.member("policies", cluster_.policy_count());
    w.list("problems", problems_, [&](const PolicyProblem& p) { write_problem(w, p); });
    w.end_object();
    return format == "json" ? out + "\n" : json_as_yaml(out);
  }

  const CheckOptions& options_;
  Outputs& outputs_;
  size_t known_ = 0;  // warnings that are left out
  KubernetesVersion version_;
  Inputs inputs_;
  std::vector<InputObject> policies_, manifests_;
  ReviewCluster cluster_;
  ParamScopes scopes_;
  CustomResources customs_;
  SchemaCatalog catalog_;
  std::unordered_map<const InputObject*, TypeReport> types_;  // those with issues
  std::vector<PolicyProblem> problems_;
  KnownEstimates estimates_;
  CompiledExpressions compiled_;
  std::vector<PolicyCosts> costs_;
};

}  // namespace

int check(const CheckOptions& options) {
  Result<Outputs> outputs = Outputs::parse(options.outputs, kCheckFormats);
  if (!outputs.ok()) return no_verdict(outputs.error().text);
  int status = Check(options, *outputs).run();
  return outputs->close() ? status : kNoVerdict;
}

}  // namespace portcullis
