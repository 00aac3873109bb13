// `portcullis cost`: what expressions cost at most, which parts of them, and what lowers it; with --object also what they
// cost on manifests.
//
// Idea: `check` says whether the API server takes a policy or definition; this command explains the numbers
// (checks/worst_costs.h). A definition over a limit is refused, so it has no verdict; an evaluation of a policy over a
// limit is an error at run time, so it counts as denied, but only for sizes that are known (docs/costs.md). Tested by
// tests/cli/cost.txt.
#include <algorithm>

#include "cli/checks/measured_costs.h"
#include "cli/checks/worst_costs.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/param_scopes.h"
#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/messages/errors.h"
#include "cli/messages/output.h"
#include "cli/reports/cost_report.h"
#include "cli/requests/rule_names.h"
#include "manifests/namespaces.h"
#include "manifests/other_engines.h"

namespace portcullis {
namespace {

class CostCommand {
 public:
  explicit CostCommand(const CostOptions& options) : options_(options) {}

  int run() {
    if (options_.policies.empty()) return no_verdict("no policies given; - is standard input");
    for (const std::string& text : options_.assume) {
      if (auto added = assumed_.add(text); !added.ok()) return no_verdict(added.error().text);
    }
    policies_ = inputs_.read(options_.policies, options_.reading);
    manifests_ = inputs_.read(options_.objects, options_.reading, true);
    cluster_.add(policies_, true);
    cluster_.add(manifests_, false, ReviewCluster::Use::Reviewed);
    for (const InputObject& o : policies_) definitions_.add(o);
    if (!options_.objects.empty() && cluster_.policies().empty() && inputs_.errors() == 0)
      return no_verdict("--object measures policies, and there are none in " +
                        list_files(options_.policies, options_.reading.recursive) +
                        "; of rules and match conditions only the worst cost is estimated");
    estimate();
    if (report_.objects.empty() && inputs_.errors() == 0) {
      say(Severity::Error, {}, {},
          "no expressions of policies, webhook configurations or CustomResourceDefinitions in " +
              list_files(options_.policies, options_.reading.recursive),
          {}, other_engines_hint(policies_));
    }
    if (report_.objects.empty() || (!options_.objects.empty() && !measure())) return give_up();
    for (const std::string& path : assumed_.unused())
      say(Severity::Warning, {}, {}, "--assume " + path + ": no cost depends on the size of such a path");
    for (const PolicyProblem& p : problems_) say_problem(p, p.severity);
    options_.output == "text" ? print(cost_report_text(report_)) : put(cost_report_json(report_));
    return status();
  }

 private:
  int give_up() const {
    if (options_.output != "text") put(said_errors_json());
    return kNoVerdict;
  }

  void estimate() {
    for (auto* list : {&cluster_.policies(), &cluster_.configurations()}) {
      for (const InputObject* p : *list) add(worst_costs(*p, assumed_, cluster_.objects().parses()));
    }
    for (const GivenDefinition& d : definitions_.all()) {
      if (d.definition->schemas().empty())
        say(Severity::Error, d.object->file->name, d.object->locate("spec"), d.refusal());
      add(worst_costs(d));
    }
  }
  void add(WorstCosts costs) {
    for (const WorstCost& c : costs.expressions) {
      if (c.error.empty()) continue;
      say(Severity::Error, costs.object->file->name, c.position, c.path + ": " + c.error,
          costs.object->file->text, "`portcullis check` says more");
    }
    if (!costs.expressions.empty()) report_.objects.push_back(std::move(costs));
  }

  bool measure() {
    Resources& resources = cluster_.resources();
    std::vector<InputObject>* all[] = {&policies_, &manifests_};
    CustomResources customs;
    customs.add(policies_);
    cluster_.typed_params = true;
    cluster_.definitions = &customs;
    add_rule_names(cluster_, resources);
    if (!scopes_.find(cluster_, all, options_.param_scopes, resources)) return false;
    for (auto* objects : all) settle(*objects, resources, kDefaultNamespace, inputs_.arena());
    for (const InputObject* p : cluster_.policies())
      report_.measured.push_back(static_costs(*p, {}, KnownEstimates(), cluster_.objects().parses()));
    const MeasuredFiles files{policies_, manifests_, cluster_, scopes_, inputs_.arena()};
    return measure_costs(files, report_.measured, problems_);
  }

  // Whether a cost that is certain exceeds its limit.
  static bool over(const WorstCosts& o) {
    return std::ranges::any_of(o.expressions, &WorstCost::certain) ||
           std::ranges::any_of(o.budgets, [](const CostBudget& b) { return b.known && b.worst > b.limit; });
  }
  static bool refused(const WorstCosts& o) {
    return role_of(*o.object) == Role::Definition &&
           (std::ranges::any_of(o.expressions, &WorstCost::exceeds) || over(o));
  }

  int status() const {
    if (!said_errors().empty() || std::ranges::any_of(report_.objects, refused)) return kNoVerdict;
    bool cancelled = std::ranges::any_of(report_.objects, over) || !problems_.empty();
    return cancelled ? kDenied : kAdmitted;
  }

  const CostOptions& options_;
  Inputs inputs_;
  Assumptions assumed_;
  std::vector<InputObject> policies_, manifests_;
  ReviewCluster cluster_;
  ParamScopes scopes_;
  Definitions definitions_;
  CostReport report_;
  std::vector<PolicyProblem> problems_;  // of measuring
};

}  // namespace

int cost(const CostOptions& options) { return CostCommand(options).run(); }

}  // namespace portcullis
