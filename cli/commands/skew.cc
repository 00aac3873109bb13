// `portcullis skew`: which API servers accept and run policies, and what changes between them.
//
// Idea: policies, definitions and manifests are told apart by their kinds. The states of expressions are those of
// checks/skew.h; with manifests, all are also decided on every server (checks/skew_results.h). The status is about new
// expressions, or with --stored about stored ones; docs/skew.md explains the difference. Tested by tests/cli/skew.txt.
#include <algorithm>

#include "cli/checks/skew.h"
#include "cli/checks/skew_results.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/param_scopes.h"
#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/messages/errors.h"
#include "cli/messages/output.h"
#include "cli/reports/skew_report.h"
#include "cli/requests/request.h"
#include "cli/requests/rule_names.h"
#include "manifests/namespaces.h"
#include "manifests/other_engines.h"

namespace portcullis {
namespace {

class Skew {
 public:
  explicit Skew(const SkewOptions& options) : options_(options) {}

  int run() {
    if (options_.paths.empty()) return no_verdict("no policies given; - is standard input");
    report_.range = {parse_kubernetes_version(options_.from).value().minor,
                     parse_kubernetes_version(options_.to).value().minor};
    if (report_.range.from > report_.range.to) return no_verdict("--from is a later release than --to");
    sort(inputs_.read(options_.paths, options_.reading));
    for (auto* objects : {&policies_, &manifests_}) {
      for (const InputObject& o : *objects) definitions_.add(o);
      customs_.add(*objects);
    }
    cluster_.add(policies_, true);
    cluster_.add(manifests_, false, ReviewCluster::Use::Reviewed);
    report_.objects = skew_of(cluster_, definitions_, report_.range);
    if (report_.objects.empty() && inputs_.errors() == 0) {
      say(Severity::Error, {}, {},
          "no policies, webhook configurations or CustomResourceDefinitions in " +
              list_files(options_.paths, options_.reading.recursive),
          {}, other_engines_hint(manifests_));
    }
    if (report_.objects.empty() || !decide()) return give_up();
    for (const ObjectSkew& o : report_.objects) say_invalid(o);
    options_.output == "text" ? print(skew_text(report_)) : put(skew_json(report_));
    return status();
  }

 private:
  int give_up() const {
    if (options_.output != "text") put(said_errors_json());
    return kNoVerdict;
  }

  // Separates what is decided upon from what decides.
  void sort(const std::vector<InputObject>& all) {
    for (const InputObject& o : all) {
      Role role = role_of(o);
      bool rule = role == Role::Policy || role == Role::Binding || role == Role::Configuration ||
                  role == Role::Definition || role == Role::Namespace ||
                  o.group() == "rbac.authorization.k8s.io";
      (rule ? policies_ : manifests_).push_back(o);
    }
  }

  void say_invalid(const ObjectSkew& o) {
    if (o.invalid.empty()) return;
    invalid_ = true;
    say(Severity::Error, o.object->file->name, o.object->locate(""),
        std::string(o.object->kind) + " " + std::string(o.object->name) +
            " is refused whatever the release: " + o.invalid,
        o.object->file->text, "`portcullis check` says more");
  }

  // Decides the manifests on every server. False if the policies cannot be loaded or an option makes no sense.
  bool decide() {
    Resources& resources = cluster_.resources();
    std::vector<InputObject>* all[] = {&policies_, &manifests_};
    cluster_.typed_params = true;
    cluster_.definitions = &customs_;
    add_rule_names(cluster_, resources);
    if (!scopes_.find(cluster_, all, options_.param_scopes, resources)) return false;
    for (auto* objects : all) settle(*objects, resources, kDefaultNamespace, inputs_.arena());
    if (manifests_.empty()) return true;
    RequestSettings settings;
    settings.managed_fields = cluster_.sees_managed_fields();
    RequestMaker maker(settings, resources, inputs_.arena());
    auto around = std::make_shared<builtin::Surroundings>();
    for (const auto* objects : all) add_surroundings(*around, *objects, inputs_.arena());
    maker.set_surroundings(std::move(around));
    for (const InputObject& o : manifests_) {
      if (!cluster_.is_param_kind(o)) maker.add(o);
    }
    std::vector<ManifestRequest> fitting = fitting_requests(maker);
    scopes_.say_notes(resources);
    const std::vector<ParamKindInfo> params = scopes_.kinds(true);
    auto verdicts = skew_results(cluster_, fitting, {maker.namespaces(), params, inputs_.arena()},
                                 report_.range, report_.objects);
    if (verdicts.ok()) {
      report_.verdicts = std::move(*verdicts);
    } else {
      say(Severity::Error, {}, {}, verdicts.error().text);
    }
    return verdicts.ok();
  }

  // The requests that reach the policies on some server; says why others do not.
  std::vector<ManifestRequest> fitting_requests(const RequestMaker& maker) {
    std::vector<ManifestRequest> out;
    for (const Request& r : maker.requests()) {
      if (r.refusal) {
        say_refusal(*r.refusal);
        continue;
      }
      AdmissionRequest tried = r.attributes;
      const auto outcome = customs_.review(tried, inputs_.arena());
      if (outcome && outcome->refused() && is_refused_at_first(*outcome->by->object, r.attributes)) {
        outcome->say_errors(*r.object);  // with all that servers have, it is refused
        continue;
      }
      ManifestRequest request{r.object, r.attributes};
      if (auto decoded = customs_.decode(request.attributes, inputs_.arena()))
        request.definition = decoded->by->object;
      out.push_back(std::move(request));
    }
    return out;
  }

  // Whether the definition refuses the new object on the first server, too, which may check fewer formats.
  bool is_refused_at_first(const InputObject& definition, const AdmissionRequest& asked) {
    Context context;
    const auto first = definition_on(definition, report_.range.from);
    const crd::ObjectOutcome outcome =
        first->review(asked.kind.version, asked.object, nullptr, inputs_.arena(), context);
    return !outcome.decode_error.empty() || !outcome.errors.empty();
  }

  int status() const {
    if (invalid_ || !said_errors().empty()) return kNoVerdict;
    for (size_t s = 0; s < report_.range.count(); s++) {
      if (options_.stored ? report_.stops(s) : report_.refuses(s)) return kDenied;
    }
    return report_.results_differ() ? kDenied : kAdmitted;
  }

  const SkewOptions& options_;
  Inputs inputs_;
  std::vector<InputObject> policies_, manifests_;
  ReviewCluster cluster_;
  ParamScopes scopes_;
  CustomResources customs_;
  Definitions definitions_;
  SkewReport report_;
  bool invalid_ = false;
};

}  // namespace

int skew(const SkewOptions& options) { return Skew(options).run(); }

}  // namespace portcullis
