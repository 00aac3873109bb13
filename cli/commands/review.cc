// `portcullis review`: decides every manifest as the API server's admission policies would: first the
// mutating ones, then the validating ones, on the mutated object.
//
// Idea: manifests become requests (request.h), the engine decides them, failed validations are explained
// (explain.h), and the reporter prints the results. Tested by tests/cli.py and by running examples/.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "admission/admission.h"
#include "admission/builtin/time.h"
#include "chain/chain.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/missing_params.h"
#include "cli/cluster/param_scopes.h"
#include "cli/commands.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reports/doubts.h"
#include "cli/reports/failure_place.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/gates.h"
#include "cli/reports/mutated.h"
#include "cli/reports/reached.h"
#include "cli/reports/report.h"
#include "cli/reports/review_reports.h"
#include "cli/reports/scope_doubt.h"
#include "cli/reports/webhooks.h"
#include "cli/requests/recorded.h"
#include "cli/requests/request.h"
#include "cli/requests/rule_names.h"
#include "cli/requests/webhook_callers.h"
#include "manifests/namespaces.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

using Clock = std::chrono::steady_clock;

// The code of a mutation whose kind has no known schema. A cluster with its definition would continue, so
// there is no verdict.
constexpr int kNoSchema = 503;

// The value of --old that makes each object replace itself.
constexpr std::string_view kSameOld = "same";

class Review {
 public:
  explicit Review(const ReviewOptions& options) : options_(options) {}

  int run(Reporter& reporter) {
    if (!options_.operation.empty() && !settings_.operation) {
      return usage("unknown operation " + quote_json(options_.operation) +
                   "; want CREATE, UPDATE, DELETE or CONNECT");
    }
    if (!options_.kubernetes_version.empty()) {
      auto version = parse_kubernetes_version(options_.kubernetes_version);
      if (!version.ok()) return usage(version.error().text);
      version_ = *version;
    }
    if (std::string misuse = Routes::misuse(options_.subresource); !misuse.empty()) return usage(misuse);
    if (options_.manifests.empty()) return usage("no manifests given; - is standard input");
    if (std::string misuse = gates_.misuse(); !misuse.empty()) return usage(misuse);
    if (!callers_.ok()) return kNoVerdict;
    cluster_.asks_webhooks = callers_.asks() || options_.reach;
    if (!cluster_.namespace_labels.read(options_.namespace_labels)) return kNoVerdict;
    if (read() && know_kinds() && check_policies() && gates_.enough_policies(cluster_) && make_requests() &&
        load())
      return decide(reporter);
    reporter.give_up(remainder());
    return kNoVerdict;
  }

 private:
  static int usage(std::string_view text) {
    say(Severity::Error, {}, {}, text);
    return kNoVerdict;
  }

  Remainder remainder() const {
    return {left_out_, inputs_.left_out(), said_errors(), gates_.wanted(), gates_.failures()};
  }

  // False if something cannot be read that verdicts depend on. Manifests that can be read are decided.
  bool read() {
    policies_ = inputs_.read(options_.policies, options_.reading);
    params_ = inputs_.read(options_.params, options_.reading, true);
    old_ = inputs_.read(old_files(), options_.reading, true);
    size_t errors = inputs_.errors();
    manifests_ = inputs_.read(options_.manifests, options_.reading);
    bool among_manifests = options_.policies.empty();
    if (among_manifests) errors = inputs_.errors();
    cluster_.add(policies_, true);
    cluster_.add(params_, false);
    cluster_.add(old_, false, ReviewCluster::Use::Former);
    cluster_.add(manifests_, among_manifests, ReviewCluster::Use::Reviewed);
    for (const auto* objects : {&policies_, &params_, &manifests_}) customs_.add(*objects);
    return errors == 0;
  }

  // The files of --old, without the word that names none.
  std::vector<std::string> old_files() const {
    std::vector<std::string> files = options_.old;
    std::erase(files, kSameOld);
    return files;
  }

  // Reads the kinds in the files, and settles the namespaces of objects. False if an option makes no sense.
  bool know_kinds() {
    Resources& resources = cluster_.resources();
    std::vector<InputObject>* all[] = {&policies_, &params_, &old_, &manifests_};
    cluster_.typed_params = !options_.as_is;
    cluster_.definitions = &customs_;
    if (!options_.kubernetes_version.empty()) resources.set_minor(version_.minor);
    add_rule_names(cluster_, resources);
    if (!scopes_.find(cluster_, all, options_.param_scopes, resources)) return false;
    bool named = std::ranges::any_of(all, [&](const auto* objects) {
      return std::ranges::any_of(*objects, [&](const InputObject& o) {
        return role_of(o) != Role::Review && o.namespace_name.empty() &&
               resources.find(o.api_version, o.kind).namespaced;
      });
    });
    if (!heeds_flags(options_.request_flags, manifests_, named)) return false;
    for (auto* objects : all) settle(*objects, resources, options_.namespace_name, inputs_.arena());
    return true;
  }

  // Prints the problems of policies; false if nothing can be decided.
  bool check_policies() {
    auto problems = cluster_.problems(version_, true);
    for (PolicyProblem& p : scopes_.problems(options_.require_known_kinds)) problems.push_back(std::move(p));
    bool refused = false;
    for (const PolicyProblem& p : problems) {
      bool error = p.severity == Severity::Error;
      refused |= error;
      say_problem(p, error && options_.allow_invalid ? Severity::Warning : p.severity);
    }
    if (refused && !options_.allow_invalid) return false;
    if (refused) {
      say(Severity::Warning, {}, {}, "policies and bindings with errors are left out");
      for (const PolicyProblem& p : problems) {
        bool known =
            std::ranges::any_of(left_out_, [&](const NotEvaluated& n) { return n.object == p.object; });
        if (p.severity == Severity::Error && !known)
          left_out_.push_back({p.object, "left out with its errors"});
      }
      cluster_.drop(problems);
    }
    for (const NotEvaluated& n : cluster_.not_evaluated()) left_out_.push_back(n);
    bool hooks = cluster_.asks_webhooks && !cluster_.configurations().empty();
    if (cluster_.policies().empty() && customs_.empty() && !hooks) {
      const auto& files = options_.policies.empty() ? options_.manifests : options_.policies;
      std::string_view sound = refused ? "without errors " : "";
      say(Severity::Error, {}, {},
          std::string("no ValidatingAdmissionPolicy") + (cluster_.asks_webhooks ? ", " : " or ") +
              "MutatingAdmissionPolicy " + (cluster_.asks_webhooks ? "or webhook configuration " : "") +
              std::string(sound) + "in " + list_files(files));
      return false;
    }
    note_unused();
    scopes_.say_notes(cluster_.resources());
    return true;
  }

  // Notes policies that were given with options that do not load them.
  void note_unused() const {
    constexpr size_t kMost = 3;
    std::string names;
    const auto& unused = cluster_.unused();
    for (size_t i = 0; i < std::min(unused.size(), kMost); i++) {
      names += (i > 0 ? ", " : "") + std::string(unused[i]->kind) + " " + std::string(unused[i]->name);
    }
    if (unused.size() > kMost) names += " and " + std::to_string(unused.size() - kMost) + " more";
    if (names.empty()) return;
    say(Severity::Note, {}, {},
        "not evaluated, as policies and webhooks are given with -p, and the API server shows them to no "
        "policy: " +
            names);
  }

  bool make_requests() {
    // A webhook that is asked sees the whole object.
    settings_.managed_fields =
        cluster_.sees_managed_fields() || (callers_.asks() && !cluster_.configurations().empty());
    for (const auto* list : {&cluster_.policies(), &cluster_.configurations()})
      settings_.mutates |= std::ranges::any_of(*list, [](auto* o) { return is_mutating(*o); });
    maker_.set_former(old_);
    for (const auto* objects : {&policies_, &params_, &old_, &manifests_}) maker_.set_surroundings(*objects);
    for (const InputObject& o : manifests_) {
      Role role = role_of(o);
      bool policy = role == Role::Policy || role == Role::Binding || role == Role::Configuration;
      if (!policy) maker_.add(o);
    }
    if (maker_.requests().empty()) {
      if (inputs_.errors() > 0) return false;
      say(Severity::Error, {}, {}, "no manifests to review in " + list_files(options_.manifests));
      return false;
    }
    return true;
  }

  bool load() {
    std::vector<std::string_view> assumed;
    warn_of_missed_rules(cluster_, maker_.requests());
    note_missing_params(cluster_);
    engine_ = load_with(false, assumed);
    if (engine_ == nullptr) return false;
    if (!scopes_.in_doubt().empty()) {
      std::vector<std::string_view> same;
      doubt_ = ScopeDoubt(load_with(true, same), &cluster_.authorizer());
    }
    cluster_.objects().forget();
    note_assumed(assumed);
    note_unused_labels();
    return true;
  }

  std::shared_ptr<const Engine> load_with(bool doubtful_namespaced, std::vector<std::string_view>& assumed) {
    auto engine =
        cluster_.load(maker_.namespaces(), inputs_.arena(), assumed, scopes_.kinds(doubtful_namespaced));
    if (engine.ok()) return *engine;
    say(Severity::Error, {}, {}, engine.error().text);
    return nullptr;
  }

  static void note_assumed(const std::vector<std::string_view>& assumed) {
    std::string names;
    for (std::string_view name : assumed) {
      if (name != "default") names.append(names.empty() ? "" : ", ").append(name);
    }
    if (names.empty()) return;
    say(Severity::Note, {}, {},
        "namespaces that are not among the files are assumed to exist, without labels of their own: " +
            names);
  }

  void note_unused_labels() const {
    for (std::string_view name : cluster_.namespace_labels.names()) {
      if (maker_.namespaces().contains(name)) continue;
      say(Severity::Note, {}, {},
          "--namespace-label names the namespace " + quote_json(name) + ", and no manifest is in it");
    }
  }

  int decide(Reporter& reporter) {
    context_.want_outcomes = true;
    context_.want_merges = options_.explain;
    context_.trace = &trace_;
    context_.authorizer = &cluster_.authorizer();
    reporter.begin(manifests_);
    auto start = Clock::now(), told = start;
    const std::vector<Request>& requests = maker_.requests();
    for (size_t i = 0; i < requests.size(); i++) {
      tell_progress(i, start, told);
      decide(requests[i], reporter);
    }
    if (inputs_.errors() > 0 || !callers_.finish()) gates_.refused();
    gates_.finish(cluster_);
    reporter.finish(remainder());
    gates_.say_failures();
    cluster_.authorizer().say_grounds();
    return gates_.exit_status();
  }

  // Sends a request through the chain, and reports what becomes of it.
  void decide(Request request, Reporter& reporter) {
    trace_.begin();
    admission_.clear();
    if (!request.refusal) request.refusal = undefined_kind(request);
    if (request.refusal) return report_refusal(request, reporter);
    std::optional<CustomOutcome> custom = decode_custom(request.attributes);
    const AdmissionRequest asked = request.attributes;  // as mutating policies see it
    callers_.begin(asked);
    if (!custom || custom->decode_error.empty())
      chain::mutate(*engine_, asked, context_, &callers_, admission_);
    request.refusal = unknown_schema(request);
    if (admission_.allowed) {
      if (admission_.changed) request.attributes.object = admission_.object;
      if (custom) Definitions::complete(request.attributes, *custom, inputs_.arena());
      maker_.complete(request);
    }
    if (request.refusal) return report_refusal(request, reporter);
    const bool unfit = custom && (!custom->errors.empty() || !custom->decode_error.empty());
    const bool validates = !unfit && admission_.allowed;
    if (validates) chain::validate(*engine_, request.attributes, context_, &callers_, admission_);
    admission_.decision.policies_matched += admission_.mutation.policies_matched;
    request.refusal = unsure(request, unfit);
    if (request.refusal) return report_refusal(request, reporter);
    ReviewResult result = result_of(request, admission_.decision);
    take_over(result, admission_);
    add_mutations(result, request, asked);
    if (custom) add_custom(result, *custom);
    const Passage passage{*engine_, asked, request.attributes, validates, admission_, cluster_, trace_};
    if (options_.explain && !unfit) result.not_applied = not_applied(passage);
    if (options_.reach) result.reached = reached(passage);
    if (unfit) refuse(result, request.attributes, *custom);
    gates_.add(result, !unfit);
    reporter.add(result);
  }

  // --- why there is no verdict ---

  static Refusal refusal(const Request& request, std::string_view path, std::string text,
                         std::string hint = {}) {
    return {.file = request.object->file,
            .position = request.object->locate(path),
            .text = std::move(text),
            .hint = std::move(hint)};
  }

  std::optional<Refusal> undefined_kind(const Request& request) const {
    const std::string why = options_.as_is ? "" : customs_.refusal(*request.object);
    if (why.empty()) return std::nullopt;
    return refusal(request, "kind", "the API server refuses the definition of this kind: " + why);
  }

  // A mutating policy applies to a kind without a known schema.
  std::optional<Refusal> unknown_schema(const Request& request) const {
    const Mutation& mutation = admission_.mutation;
    if (mutation.allowed || mutation.status.code != kNoSchema) return std::nullopt;
    Refusal out = refusal(request, "kind", std::string(mutation.status.message),
                          "its CustomResourceDefinition is not among the files");
    out.status = status_json(mutation.status);
    return out;
  }

  // A webhook has no recorded answer, or the decision depends on a scope that nobody knows.
  std::optional<Refusal> unsure(const Request& request, bool unfit) {
    if (!callers_.missing().empty())
      return refusal(request, "", "there is no recorded answer of a webhook: " + callers_.missing(),
                     "--webhooks call --record writes it");
    std::string depends = unfit ? "" : doubt_.differs(request.attributes, admission_.decision, scopes_);
    if (depends.empty()) return std::nullopt;
    return refusal(request, "", std::move(depends), scopes_.advice());
  }

  void report_refusal(const Request& request, Reporter& reporter) {
    gates_.refused();
    reporter.add(refused_result(request));
  }

  // --- results ---

  // What policies and webhooks did to the object. The result refers to `request`.
  void add_mutations(ReviewResult& result, const Request& request, const AdmissionRequest& asked) {
    const Mutation& mutation = admission_.mutation;
    add_mutation(result, mutation, asked.object, cluster_, trace_, options_.explain);
    if (admission_.changed) {
      result.before = asked.object;
      result.after = admission_.object;
    }
    add_webhooks(result, admission_, cluster_, options_.explain);
    if (options_.explain) add_doubts(result, mutation, *engine_, asked, context_.authorizer);
    if (!result.after.is(Kind::Map)) return;
    result.completed = request.attributes.object;
    result.served = [this, &request, scratch = std::make_shared<Arena>()](const Value& manifest) {
      return served(request, manifest, *scratch);
    };
  }

  // What the definition of a custom resource says.
  static void add_custom(ReviewResult& result, const CustomOutcome& custom) {
    const bool recorded = role_of(*result.object) == Role::Review;
    say_unknown_fields(*result.object, custom.unfitting, recorded ? "request.object" : "");
    if (!custom.decode_error.empty()) result.findings.push_back("does not decode: " + custom.decode_error);
    for (const FieldError& e : custom.errors)
      result.findings.push_back("refused by its definition: " + e.message);
    for (const std::string& w : custom.warnings) result.findings.push_back("warning: " + w);
    result.warnings.insert(result.warnings.begin(), custom.warnings.begin(), custom.warnings.end());
  }

  // What mutating policies would see of another manifest.
  Value served(const Request& request, const Value& manifest, Arena& arena) {
    if (request.attributes.typed) return maker_.served(request, manifest, arena);
    AdmissionRequest other = request.attributes;
    other.object = manifest;
    auto custom = customs_.decode(other, arena);
    return custom && custom->decode_error.empty() ? custom->object : Value();
  }

  // The result of a manifest without a verdict.
  ReviewResult refused_result(const Request& request) {
    ReviewResult r = result_of(request, {});
    if (r.kind.empty()) {  // an AdmissionReview whose request cannot be read
      r.kind = request.object->kind;
      r.api_version = request.object->api_version;
    }
    r.allowed = false;
    r.refusal = request.refusal;
    r.status = request.refusal->status;
    r.message = request.refusal->text;
    return r;
  }

  std::optional<CustomOutcome> decode_custom(AdmissionRequest& request) {
    Arena& arena = inputs_.arena();
    if (!settings_.managed_fields || settings_.as_is) return customs_.decode(request, arena);
    crd::FieldManagers managers{field_manager(settings_.field_manager, request.operation),
                                field_manager(settings_.field_manager, Operation::Create),
                                builtin::time_now(arena)};
    return customs_.decode(request, arena, &managers);
  }

  // A custom resource that its definition refuses: no policy is asked.
  static void refuse(ReviewResult& r, const AdmissionRequest& a, const crd::ObjectOutcome& outcome) {
    r.allowed = false;
    if (!outcome.decode_error.empty()) {
      r.message = cannot_be_handled(a.kind, outcome.decode_error);
      r.status = bad_request(r.message);
      return;
    }
    r.message = invalid_message(a.kind, a.name, outcome.errors);
    r.status = invalid_status(a.kind, a.name, outcome.errors);
  }

  // Prints progress at most once a second, if more than a second of work remains.
  void tell_progress(size_t done, Clock::time_point start, Clock::time_point& told) const {
    if (done == 0 || done % 64 != 0) return;
    auto now = Clock::now();
    auto remaining = (now - start) / done * (maker_.requests().size() - done);
    if (now - told < std::chrono::seconds(1) || remaining < std::chrono::seconds(1)) return;
    told = now;
    std::fprintf(stderr, "%zu of %zu manifests\n", done, maker_.requests().size());
  }

  ReviewResult result_of(const Request& request, const Decision& decision) {
    const AdmissionRequest& a = request.attributes;
    ReviewResult r;
    r.object = request.object;
    r.api_version = a.kind.group.empty() ? "" : std::string(a.kind.group) + "/";
    r.api_version += a.kind.version;
    r.kind = a.kind.kind;
    bool cluster_scoped = a.kind.kind == "Namespace" && a.kind.group.empty();
    r.namespace_name = cluster_scoped ? "" : a.namespace_name;
    r.name = a.name;
    r.resource = resource_text(a.resource, a.subresource);
    r.operation = operation_name(a.operation);
    r.uid = request.uid;
    r.allowed = decision.allowed;
    if (!decision.allowed)
      deny(r, decision.error.empty() ? decision.status : Status{.message = decision.error});
    r.warnings.assign(decision.warnings.begin(), decision.warnings.end());
    r.audit_annotations.assign(decision.audit_annotations.begin(), decision.audit_annotations.end());
    r.policies_matched = decision.policies_matched;
    for (const ValidationOutcome& o : decision.outcomes) {
      add_failure(r, o);
      add_evaluated(r, o);
    }
    return r;
  }

  // The verdict, warnings and annotations of the whole chain.
  static void take_over(ReviewResult& r, const chain::Admission& admission) {
    r.warnings.assign(admission.warnings.begin(), admission.warnings.end());
    r.audit_annotations.assign(admission.audit_annotations.begin(), admission.audit_annotations.end());
    if (admission.allowed) return;
    if (!admission.error.empty()) return deny(r, Status{.message = admission.error});
    r.allowed = false;
    r.message = text_member(admission.status, "message");
    r.status = to_json(admission.status);
  }

  static void deny(ReviewResult& r, const Status& status) {
    r.allowed = false;
    r.message = status.message;
    r.status = status_json(status);
  }

  void add_failure(ReviewResult& r, const ValidationOutcome& o) {
    using Kind = ValidationOutcome::Kind;
    if (o.kind == Kind::Passed || o.kind == Kind::ConditionsFalse) return;
    ReviewFailure f;
    f.policy = o.policy;
    f.binding = o.binding;
    f.param = o.param;
    f.validation = o.validation;
    f.expression = o.expression;
    f.message = o.message;
    f.reason = o.reason;
    f.denied = o.denied;
    f.warned = o.warned;
    f.audited = o.audited;
    f.error = o.kind != Kind::Failed;
    place_failure(f, o, cluster_, trace_);
    r.failures.push_back(std::move(f));
  }

  static RequestSettings settings_of(const ReviewOptions& o) {
    RequestSettings s;
    Operation operation;
    if (parse_operation(o.operation, operation)) s.operation = operation;
    s.subresource = o.subresource;
    s.same_old = std::ranges::count(o.old, kSameOld) > 0;
    s.user = o.user;
    s.groups = o.groups;
    s.dry_run = o.dry_run;
    s.as_is = o.as_is;
    s.only_known_kinds = o.require_known_kinds;
    s.field_manager = o.field_manager;
    return s;
  }

  const ReviewOptions& options_;
  KubernetesVersion version_;
  RequestSettings settings_ = settings_of(options_);
  Inputs inputs_;
  std::vector<InputObject> policies_, params_, old_, manifests_;
  ReviewCluster cluster_;
  ParamScopes scopes_;
  ScopeDoubt doubt_;
  std::vector<NotEvaluated> left_out_;
  CustomResources customs_;
  RequestMaker maker_{settings_, cluster_.resources(), inputs_.arena()};
  Gates gates_{options_};
  WebhookCallers callers_{{options_.webhooks, options_.record, options_.webhook_addresses,
                           options_.webhook_certificate, options_.webhook_key}};
  FailureTrace trace_{gates_, !options_.explain && !options_.reach ? Detail::Errors
                              : options_.output == "text"          ? Detail::Blamed
                                                                   : Detail::All};
  std::shared_ptr<const Engine> engine_;
  ReviewContext context_;
  chain::Admission admission_;  // of the present request
};

}  // namespace

int review(const ReviewOptions& options, Reporter& reporter) { return Review(options).run(reporter); }

int review(const ReviewOptions& options) {
  if (options.batch) {  // one loop answers the lines of all modes
    EvalOptions lines;
    lines.batch = true;
    lines.jobs = options.jobs;
    return eval(lines);
  }
  Result<Outputs> outputs = Outputs::parse(options.outputs, kReviewFormats);
  if (!outputs.ok()) {
    say(Severity::Error, {}, {}, outputs.error().text);
    return kNoVerdict;
  }
  ReviewOptions wanted = options;
  if (outputs->wants("json") || outputs->wants("yaml")) wanted.output = "json";
  ReviewReports reports(*outputs, wanted);
  int status = review(wanted, reports);
  return reports.close() ? status : kNoVerdict;
}

}  // namespace portcullis
