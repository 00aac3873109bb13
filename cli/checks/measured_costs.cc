// See measured_costs.h.
#include "cli/checks/measured_costs.h"

#include <span>

#include "admission/mutation.h"
#include "cli/reading/unknown_fields.h"
#include "cli/requests/request.h"

namespace portcullis {
namespace {

class Measuring {
 public:
  Measuring(const MeasuredFiles& files, std::vector<PolicyCosts>& costs, std::vector<PolicyProblem>& problems)
      : files_(files), costs_(costs), problems_(problems) {}

  bool run() {
    for (PolicyProblem& p : files_.scopes.problems(false)) problems_.push_back(std::move(p));
    sound_.share_objects(files_.cluster);
    {
      Listening said;  // by the cluster of the files already
      sound_.add(files_.policies, true);
      sound_.add(files_.manifests, false, ReviewCluster::Use::Reviewed);
    }
    definitions_.add(sound_);
    sound_.typed_params = true;
    sound_.definitions = &definitions_;
    sound_.drop(problems_);
    RequestSettings settings;
    settings.managed_fields = sound_.sees_managed_fields();
    RequestMaker maker(settings, files_.cluster.resources(), files_.arena);
    auto around = std::make_shared<builtin::Surroundings>();
    for (const auto* objects : {&files_.manifests, &files_.policies})  // the later ones count
      add_surroundings(*around, *objects, files_.arena);
    maker.set_surroundings(std::move(around));
    for (const InputObject& o : files_.manifests) maker.add(o);
    const std::vector<Measured> fitting = fitting_requests(maker);
    files_.scopes.say_notes(files_.cluster.resources());
    const std::vector<PolicyCosts> before = costs_;
    std::vector<PolicyCosts> otherwise = costs_;
    if (!measure(maker, fitting, false, costs_)) return false;
    if (!files_.scopes.in_doubt().empty()) {
      if (!measure(maker, fitting, true, otherwise)) return false;
      drop_doubtful(before, otherwise);
    }
    for (const PolicyCosts& c : costs_) add_cost_problems(c, problems_);
    return true;
  }

 private:
  struct Measured {
    const InputObject* object;
    AdmissionRequest attributes;
  };

  std::vector<Measured> fitting_requests(const RequestMaker& maker) {
    std::vector<Measured> out;
    for (const Request& r : maker.requests()) {
      Measured m{r.object, r.attributes};
      if (r.refusal) {
        say_refusal(*r.refusal);
      } else if (fits_definition(*r.object, m.attributes)) {
        out.push_back(m);
      }
    }
    return out;
  }

  // Reviews with one scope for all kinds in doubt, and adds the measured costs to `costs`.
  bool measure(const RequestMaker& maker, std::span<const Measured> requests, bool doubtful_namespaced,
               std::vector<PolicyCosts>& costs) {
    std::vector<std::string_view> assumed;
    auto engine = sound_.load(maker.namespaces(), files_.arena, assumed,
                              files_.scopes.kinds(doubtful_namespaced), true);
    if (!engine.ok()) {
      say(Severity::Error, {}, {}, engine.error().text);
      return false;
    }
    CostTrace trace(costs);
    ReviewContext context;
    context.trace = &trace;
    context.authorizer = &sound_.authorizer();
    Mutation mutation;
    Decision decision;
    for (const Measured& m : requests) {
      trace.begin(m.object);
      (*engine)->mutate_pass(m.attributes, 1, context, mutation);
      trace.begin(m.object);
      (*engine)->review(m.attributes, context, decision);
    }
    trace.finish();
    return true;
  }

  // Drops a measured cost that depends on the scope of the kinds in doubt.
  void drop_doubtful(const std::vector<PolicyCosts>& before, const std::vector<PolicyCosts>& otherwise) {
    for (size_t i = 0; i < costs_.size(); i++) {
      if (same_measure(costs_[i], otherwise[i])) continue;
      costs_[i] = before[i];
      const InputObject& policy = *costs_[i].object;
      PolicyProblem problem{&policy, Severity::Error, "spec.paramKind",
                            "what the policy costs depends on the scope of " + files_.scopes.in_doubt(),
                            policy.locate("spec.paramKind", true)};
      problem.hint = files_.scopes.advice();
      problem.ours = true;
      problems_.push_back(std::move(problem));
    }
  }

  // Applies the definition of the object's kind to the object of the request, if there is one. If the
  // definition refuses it, prints the error and returns false: no policy sees it.
  bool fits_definition(const InputObject& object, AdmissionRequest& attributes) {
    auto outcome = definitions_.review(attributes, files_.arena);
    if (!outcome) return true;
    say_unknown_fields(object, outcome->unfitting);
    outcome->say_errors(object);
    return !outcome->refused();
  }

  const MeasuredFiles& files_;
  std::vector<PolicyCosts>& costs_;
  std::vector<PolicyProblem>& problems_;
  CustomResources definitions_;
  ReviewCluster sound_;
};

}  // namespace

bool measure_costs(const MeasuredFiles& files, std::vector<PolicyCosts>& costs,
                   std::vector<PolicyProblem>& problems) {
  return Measuring(files, costs, problems).run();
}

}  // namespace portcullis
