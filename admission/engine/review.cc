// Engine::review: policies, bindings, params, stages, decisions, and the Status of a refusal.
//
// Idea: the loops of the API server's dispatcher, over the structures that load prepared. Texts live in the
// context's arena and lists keep their capacity, so a warm thread allocates nothing. Source of behaviour:
// apiserver pkg/admission/plugin/policy/validating/dispatcher.go. Tested by tests/admission, tests/oracle.
#include <fmt/format.h>

#include <algorithm>

#include "admission/engine/conditions.h"
#include "admission/engine/converted.h"
#include "admission/engine/evaluation_trace.h"
#include "admission/engine/loaded.h"
#include "admission/engine/review_state.h"
#include "admission/engine/scene.h"
#include "admission/engine/stage.h"
#include "admission/expressions/message_value.h"
#include "admission/objects/field_error.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr size_t kMaxAnnotation = 10 * 1024;  // bytes of the value of an audit annotation
constexpr size_t kMaxAuditedFailures = 50;
// Instead of an index of `results`: evaluated without anything to report; not evaluated.
constexpr size_t kNothing = SIZE_MAX, kUnknown = SIZE_MAX - 1;
constexpr std::string_view kConditions = "spec.matchConditions";
constexpr std::string_view kFailureKey = "validation.policy.admission.k8s.io/validation_failure";

int code_of(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  if (reason == "Unauthorized") return 401;
  return reason == "RequestEntityTooLarge" ? 413 : 422;
}

}  // namespace

// A review of one request.
class Reviewer {
 public:
  Reviewer(const Engine::Loaded& loaded, const AdmissionRequest& request, ReviewContext& context,
           Decision& decision)
      : loaded_(loaded), request_(request), context_(context), state_(context.state()), decision_(decision) {}

  void run() {
    decision_.clear();
    if (exempt_from_policies(request_.resource)) return;
    prepare();
    loaded_.index.find(scene_, state_.outcomes, state_.scratch, state_.matched);
    for (uint32_t i : state_.matched) {
      review_policy(loaded_.policies[i]);
      if (!decision_.allowed || context_.interrupted) break;
    }
    if (decision_.allowed) finish();
    std::sort(decision_.audit_annotations.begin(), decision_.audit_annotations.end());
  }

 private:
  Arena& arena() { return state_.context.arena(); }
  std::string_view join(std::initializer_list<std::string_view> parts) { return joined(arena(), parts); }

  // --- the request and its namespace ---

  void prepare() {
    state_.begin(loaded_, context_);
    scene_ = scene_of(loaded_, request_, arena());
    state_.outcomes.begin(*loaded_.rules, scene_);
    state_.matched.clear();
    namespace_ = namespace_of(loaded_, request_.namespace_name, assumed_, arena());
    needs_namespace_ = needs_namespace(request_);
    const VariableNumbers& numbers = *loaded_.numbers;
    reads_authorizer_ =
        numbers.authorizer != PathTable::kNone || numbers.request_resource != PathTable::kNone;
  }

  // What expressions see besides params, in the order of their stages.
  enum class View : uint8_t { None, Conditions, Checks, Messages, Annotations };

  // Sets the variables of a stage. Nothing changes between most policies, so nothing is done for most of them.
  void show(View view) {
    // Messages see no authorizer, which makes no difference where no expression reads it.
    if (view == View::Messages && !reads_authorizer_) view = View::Checks;
    if (view_ != view || shown_as_ != as_) [[unlikely]]
      set_variables(view);
  }
  void set_variables(View view) {
    const VariableNumbers& numbers = *loaded_.numbers;
    const GroupVersionKind& kind = as_ == nullptr ? request_.kind : as_->kind;
    const GroupVersionResource& resource = as_ == nullptr ? request_.resource : as_->resource;
    state_.set_objects(loaded_, request_, kind);
    // Quirks of upstream: conditions see no namespace, and the request's own resource beside the matched kind.
    bool conditions = view == View::Conditions;
    state_.set_request(loaded_, request_, kind, conditions ? request_.resource : resource);
    bool spaceless = conditions || !needs_namespace_ || namespace_ == nullptr;
    state_.set(numbers.namespace_object, spaceless                   ? Value()
                                         : view == View::Annotations ? namespace_->whole
                                                                     : namespace_->cut);
    state_.set_authorizer(loaded_, request_, conditions || view == View::Checks);
    view_ = view;
    shown_as_ = as_;
  }

  // --- policies and bindings ---

  bool is_asked(const LoadedPolicy& policy) const {
    return context_.versions.empty() || (*loaded_.rules)[policy.match].asks_for(request_, context_.versions);
  }

  void review_policy(const LoadedPolicy& policy) {
    if (!is_asked(policy)) return;
    const MatchOutcome& match = state_.outcomes[policy.match];
    if (!match.error.empty())
      return config_error(policy, nullptr, match.error, "spec.matchConstraints", &match);
    if (!match.matches) return;
    decision_.policies_matched++;
    if (!policy.configuration_error.empty())
      return config_error(policy, nullptr, policy.configuration_error, "spec.paramKind");
    as_ = match.as;
    state_.annotations.clear();
    state_.reset_results();
    shared_result_ = kUnknown;
    for (const PolicyBinding& binding : loaded_.bindings_of(policy)) {
      review_binding(policy, binding);
      if (!decision_.allowed) return;
    }
    if (!state_.annotations.empty()) publish_annotations(policy);
  }

  void review_binding(const LoadedPolicy& policy, const PolicyBinding& binding) {
    const MatchOutcome& match = state_.outcomes[binding.match];
    if (!match.error.empty())
      return config_error(policy, &binding, match.error, "spec.matchResources", &match);
    if (!match.matches) return;
    decision_.bindings_matched++;
    const Conversion conversion = scene_.conversion_to(as_);
    const auto unconverted = [&] {
      decision_.incomplete |= policy.failure == FailurePolicy::Ignore;
      config_error(policy, &binding,
                   join({"failed to convert object version: ",
                         not_converted(request_.kind_of_objects(), conversion, arena())}),
                   "spec.policyName");
    };
    if (!policy.has_param_kind || binding.param == nullptr) {
      if (context_.trace != nullptr) context_.trace->bound({.policy = policy.name, .binding = binding.name});
      if (conversion != Conversion::Known) return unconverted();
      if (needs_namespace_ && namespace_ == nullptr) return refuse_without_namespace();
      return decide(policy, binding, nullptr, validate(policy, nullptr));
    }
    state_.params.clear();
    ParamProblem problem = find_params(policy, binding, request_, state_.params);
    if (context_.trace != nullptr) {
      context_.trace->bound({.policy = policy.name,
                             .binding = binding.name,
                             .has_params = true,
                             .params = state_.params.size(),
                             .error = problem.text});
    }
    if (!problem.text.empty()) return config_error(policy, &binding, problem.text, problem.field);
    if (conversion != Conversion::Known && !state_.params.empty()) return unconverted();
    if (needs_namespace_ && namespace_ == nullptr) return refuse_without_namespace();
    state_.chosen.clear();
    for (const Param* param : state_.params) {
      state_.chosen.push_back(validate(policy, param));
      if (context_.interrupted) return;
    }
    for (size_t i = 0; i < state_.chosen.size(); i++)
      decide(policy, binding, state_.params[i], state_.chosen[i]);
  }

  // --- evaluation ---

  // Evaluates a policy; returns the number of the result, or kNothing. A policy without param is evaluated once for all
  // its bindings.
  size_t validate(const LoadedPolicy& policy, const Param* param) {
    if (param == nullptr && shared_result_ != kUnknown) return shared_result_;
    result_ = kNothing;
    evaluate_policy(policy, param);
    if (param == nullptr) shared_result_ = result_;
    return result_;
  }

  // The result of the present evaluation. Most have none, because all checks passed.
  PolicyResult& result() {
    if (result_ == kNothing) result_ = state_.new_result();
    return state_.results[result_];
  }

  // `field`: the list of the policy that cannot be evaluated.
  void stage_error(const LoadedPolicy& policy, std::string_view field, std::string_view text) {
    result().decisions.clear();
    result().annotations.clear();
    PolicyDecision& d = result().decisions.emplace_back();
    d.kind = PolicyDecision::Kind::Error;
    d.denied = policy.failure != FailurePolicy::Ignore;
    d.message = text;
    d.whole = true;
    d.field = field;
  }

  void evaluate_policy(const LoadedPolicy& policy, const Param* param) {
    param_ = param;
    if (policy.has_param_kind) state_.set(loaded_.numbers->params, param == nullptr ? Value() : param->value);
    if (!policy.conditions.empty() && !conditions_hold(policy)) return;
    show(View::Checks);
    if (remembered_to_pass(policy)) return annotate(policy);
    int64_t budget = kPolicyCostBudget;
    if (!run(policy, policy.checks, budget, state_.evaluations))
      return stage_error(policy, "spec.validations", kOutOfBudget);
    if (nothing_to_tell(policy, budget)) return annotate(policy);
    show(View::Messages);
    bool messages_fit = run(policy, policy.messages, budget, state_.messages);
    for (size_t i = 0; i < policy.validations.size(); i++) {
      const Evaluation& e = state_.evaluations[i];
      bool passed = messages_fit && e.error.empty() && e.value.is_true();
      if (!passed || wants_passed()) result().decisions.push_back(decide_validation(policy, i, messages_fit));
    }
    annotate(policy);
  }

  // Only explanations want to hear of what passes.
  bool wants_passed() const { return context_.want_outcomes && context_.want_passed; }

  // Whether all checks passed, nobody wants to hear of it, and the budget covers the messages, as far as is known
  // without evaluating them.
  bool nothing_to_tell(const LoadedPolicy& policy, int64_t budget) const {
    if (wants_passed() || context_.trace != nullptr) return false;
    for (const Evaluation& e : state_.evaluations) {
      if (!e.error.empty() || !e.value.is_true()) return false;
    }
    return !policy.has_messages || remembers_messages(policy, static_cast<uint64_t>(budget));
  }

  // What other policies have evaluated for this request, if it is within the limit; else null.
  const Activation::Memo* remembered(const PolicyExpression& e) const {
    if (e.memo == PathTable::kNone) return nullptr;
    const Activation::Memo* memo = state_.activation->remembered(e.memo);
    return memo == nullptr || memo->cost > kPerCallCostLimit ? nullptr : memo;
  }
  // Whether all messages are, and cost at most `budget`.
  bool remembers_messages(const LoadedPolicy& policy, uint64_t budget) const {
    uint64_t spent = 0;
    for (const PolicyExpression& e : policy.messages) {
      if (e.absent) continue;
      const Activation::Memo* memo = remembered(e);
      if (memo == nullptr) return false;
      spent += memo->cost;
    }
    return spent <= budget;
  }

  // Whether other policies have evaluated all expressions for this request, all checks passed, and the budget covers
  // them. Nothing is left to do then, unless somebody wants to hear of it.
  bool remembered_to_pass(const LoadedPolicy& policy) const {
    if (wants_passed() || context_.trace != nullptr) return false;
    uint64_t spent = 0;
    for (const PolicyExpression& e : policy.checks) {
      const Activation::Memo* memo = remembered(e);
      if (memo == nullptr || !memo->value.is_true()) return false;
      spent += memo->cost;
    }
    return spent <= kPolicyCostBudget && remembers_messages(policy, kPolicyCostBudget - spent);
  }

  [[gnu::always_inline]] bool run(const LoadedPolicy& policy,
                                  const std::vector<PolicyExpression>& expressions, int64_t& budget,
                                  std::vector<Evaluation>& out) {
    bool fits = state_.runner.run(expressions, variables_of(policy, loaded_.numbers->variables),
                                  *state_.activation, budget, out);
    if (context_.trace != nullptr) [[unlikely]]
      trace(policy, expressions, out);
    return fits;
  }

  void trace(const LoadedPolicy& policy, const std::vector<PolicyExpression>& expressions,
             const std::vector<Evaluation>& results) {
    ReviewTrace::Evaluated told = {.policy = policy.name,
                                   .param = param_ == nullptr ? std::string_view() : param_->key};
    told.part = &expressions == &policy.conditions ? ReviewTrace::Part::MatchCondition
                : &expressions == &policy.checks   ? ReviewTrace::Part::Validation
                : &expressions == &policy.messages ? ReviewTrace::Part::Message
                                                   : ReviewTrace::Part::Annotation;
    tell_evaluations(*context_.trace, state_, policy.variables, told, expressions, results);
  }

  // False if evaluation ends here; the result then has the error, if there is one.
  bool conditions_hold(const LoadedPolicy& policy) {
    show(View::Conditions);
    int64_t budget = kMatchConditionsCostBudget;
    bool fits = run(policy, policy.conditions, budget, state_.evaluations);
    ConditionsVerdict verdict =
        judge_conditions(policy.failure, fits, state_.evaluations, state_.texts, arena());
    if (verdict.hold) return true;
    if (verdict.error.empty()) {
      result().skipped = true;
    } else {
      stage_error(policy, kConditions, verdict.error);
    }
    return false;
  }

  PolicyDecision decide_validation(const LoadedPolicy& policy, size_t i, bool messages_fit) {
    const Evaluation& e = state_.evaluations[i];
    PolicyDecision d;
    d.index = static_cast<int>(i);
    d.cost = e.cost;
    if (!e.error.empty() || !messages_fit) {
      d.kind = PolicyDecision::Kind::Error;
      d.denied = policy.failure != FailurePolicy::Ignore;
      d.message = e.error;
      if (e.error.empty()) {
        d.message = join({"failed messageExpression: ", kOutOfBudget});
        d.field = "spec.validations";
        d.item = static_cast<int>(state_.messages.size()) - 1;
      }
    } else if (!e.value.is_true()) {
      d.kind = PolicyDecision::Kind::Failed;
      d.denied = true;
      d.reason = policy.validations[i].reason;
      d.message = failure_message(policy, i);
    }
    return d;
  }

  std::string_view failure_message(const LoadedPolicy& policy, size_t i) {
    const Evaluation& dynamic = state_.messages[i];
    if (!dynamic.absent && dynamic.error.empty() && unusable_message(dynamic.value).empty())
      return trim_space(dynamic.value.as_text());
    std::string_view message = policy.validations[i].message;
    return message.empty() ? join({"failed expression: ", trim_space(policy.checks[i].text)}) : message;
  }

  // --- audit annotations ---

  void annotate(const LoadedPolicy& policy) {
    if (!policy.annotations.empty()) evaluate_annotations(policy);
  }
  void evaluate_annotations(const LoadedPolicy& policy) {
    show(View::Annotations);
    int64_t budget = kPolicyCostBudget;
    if (!run(policy, policy.annotation_values, budget, state_.evaluations))
      return stage_error(policy, "spec.auditAnnotations", kOutOfBudget);
    for (size_t i = 0; i < policy.annotations.size(); i++) {
      const Evaluation& e = state_.evaluations[i];
      AnnotationResult& a = result().annotations.emplace_back();
      a.index = static_cast<int>(i);
      if (!e.error.empty()) {
        if (policy.failure != FailurePolicy::Ignore) a.error = e.error;
      } else if (e.value.is(Kind::String)) {
        a.value = trim_space(e.value.as_text());
      }
    }
  }

  void collect_annotation(const LoadedPolicy& policy, const AnnotationResult& a) {
    if (a.value.empty()) return;
    // Truncated to bytes, even within a character; a repeated value is not reported again.
    state_.add_annotation(policy.annotations[a.index].key, a.index, a.value.substr(0, kMaxAnnotation));
  }

  void publish_annotations(const LoadedPolicy& policy) {
    auto& list = state_.annotations;
    for (size_t i = 0; i < list.size(); i++) {
      if (list[i].done) continue;
      std::string_view value = list[i].value;
      for (size_t j = i + 1; j < list.size(); j++) {
        if (list[j].key != list[i].key) continue;
        list[j].done = true;
        value = join({value, ", ", list[j].value});
      }
      publish(policy.annotations[list[i].index].audit_key, value);
    }
  }

  // The first value of a key wins.
  void publish(std::string_view key, std::string_view value) {
    if (key.empty()) return;
    for (const auto& [k, v] : decision_.audit_annotations) {
      if (k == key) return;
    }
    decision_.audit_annotations.emplace_back(key, value);
  }

  // --- decisions ---

  void decide(const LoadedPolicy& policy, const PolicyBinding& binding, const Param* param, size_t result) {
    if (result != kNothing) tell(policy, binding, param, state_.results[result]);
  }
  void tell(const LoadedPolicy& policy, const PolicyBinding& binding, const Param* param,
            const PolicyResult& result) {
    if (result.skipped && wants_passed())
      note(policy, &binding, param).kind = ValidationOutcome::Kind::ConditionsFalse;
    for (const PolicyDecision& d : result.decisions) {
      ValidationOutcome& outcome = note(policy, &binding, param);
      outcome.kind = d.kind == PolicyDecision::Kind::Failed  ? ValidationOutcome::Kind::Failed
                     : d.kind == PolicyDecision::Kind::Error ? ValidationOutcome::Kind::Error
                                                             : ValidationOutcome::Kind::Passed;
      outcome.validation = d.whole ? -1 : d.index;
      if (!d.whole) outcome.expression = policy.checks[d.index].text;
      outcome.message = d.message;
      outcome.reason = d.reason;
      outcome.cost = d.cost;
      outcome.field = d.field;
      outcome.item = d.item;
      outcome.ignored = d.kind == PolicyDecision::Kind::Error && !d.denied;
      if (d.denied) act(policy, binding, d, outcome);
    }
    for (const AnnotationResult& a : result.annotations) {
      if (!a.error.empty()) {
        deny(policy, &binding, a.error, {});
        ValidationOutcome& outcome = note(policy, &binding, param);
        outcome.kind = ValidationOutcome::Kind::AnnotationError;
        outcome.field = "spec.auditAnnotations";
        outcome.item = a.index;
        outcome.expression = policy.annotation_values[a.index].text;
        outcome.message = a.error;
        outcome.denied = true;
      } else {
        collect_annotation(policy, a);
      }
    }
  }

  void act(const LoadedPolicy& policy, const PolicyBinding& binding, const PolicyDecision& d,
           ValidationOutcome& outcome) {
    for (Action action : binding.actions->list) {
      switch (action) {
        case Action::Deny:
          deny(policy, &binding, d.message, d.reason);
          outcome.denied = true;
          break;
        case Action::Warn:
          decision_.warnings.push_back(join({"Validation failed for ValidatingAdmissionPolicy '", policy.name,
                                             "' with binding '", binding.name, "': ", d.message}));
          outcome.warned = true;
          break;
        case Action::Audit:
          state_.failures.push_back({&policy, &binding, d.message, d.index});
          outcome.audited = true;
          break;
      }
    }
  }

  // Only the first denial counts. `binding`: null for an error of the policy itself.
  void deny(const LoadedPolicy& policy, const PolicyBinding* binding, std::string_view message,
            std::string_view reason, std::string_view missing_namespace = {}) {
    if (state_.denied) return;
    state_.denied = true;
    constexpr std::string_view kKind = "ValidatingAdmissionPolicy '", kDenied = "' denied request: ";
    state_.denial_prefix = binding == nullptr
                               ? join({kKind, policy.name, kDenied})
                               : join({kKind, policy.name, "' with binding '", binding->name, kDenied});
    state_.denial_message = message;
    state_.denial_reason = reason;
    state_.denial_namespace = missing_namespace;
  }

  // `field`: the cause in the binding or, without binding, in the policy. `match`: the match that failed, if one did.
  void config_error(const LoadedPolicy& policy, const PolicyBinding* binding, std::string_view error,
                    std::string_view field, const MatchOutcome* match = nullptr) {
    ValidationOutcome& outcome = note(policy, binding, nullptr);
    outcome.kind = ValidationOutcome::Kind::ConfigError;
    const bool unknown = policy.failure == FailurePolicy::Unknown;
    std::string_view message = unknown ? join({"unrecognized failure policy: '", policy.failure_text, "'"})
                                       : not_configured(binding, error, arena());
    outcome.message = message;
    outcome.of_binding = binding != nullptr && !unknown;
    if (context_.want_outcomes)
      outcome.field = unknown ? "spec.failurePolicy" : field_within(field, match, arena());
    outcome.ignored = policy.failure == FailurePolicy::Ignore;
    if (outcome.ignored) return;
    outcome.denied = true;
    deny(policy, binding, message, {}, unknown ? std::string_view() : missing_namespace_of(match));
  }

  // The outcome to fill in; one that nobody reads if the caller does not want outcomes.
  ValidationOutcome& note(const LoadedPolicy& policy, const PolicyBinding* binding, const Param* param) {
    if (!context_.want_outcomes) return scrap_;
    ValidationOutcome& o = decision_.outcomes.emplace_back();
    o.policy = policy.name;
    if (binding != nullptr) o.binding = binding->name;
    if (param != nullptr) o.param = param->key;
    return o;
  }

  // Refuses the request because its namespace is missing, regardless of failurePolicy.
  void refuse_without_namespace() {
    decision_.allowed = false;
    refuse_missing_namespace(request_, arena(), decision_.status);
  }

  void finish() {
    if (!state_.failures.empty()) publish(kFailureKey, failures_json());
    if (!state_.denied) return;
    decision_.allowed = false;
    Status& s = decision_.status;
    s.reason = state_.denial_reason.empty() ? "Invalid" : state_.denial_reason;
    s.code = code_of(s.reason);
    std::string_view text = join({state_.denial_prefix, state_.denial_message});
    s.name = shown_name(request_, scene_);
    s.group = request_.resource.group;
    s.kind = request_.resource.resource;
    s.has_details = true;
    s.message = forbidden(request_.resource, s.name, text, arena());
    s.missing_namespace = end_of(s.message, state_.denial_namespace);
    s.causes.push_back({text});
  }

  std::string_view failures_json() {
    std::string& json = state_.json;
    json.clear();
    json += '[';
    for (size_t i = 0; i < state_.failures.size() && i < kMaxAuditedFailures; i++) {
      const AuditedFailure& f = state_.failures[i];
      if (i > 0) json += ',';
      fmt::format_to(std::back_inserter(json), "{{\"message\":");
      append_text(json, f.message);
      json += ",\"policy\":";
      append_text(json, f.policy->name);
      json += ",\"binding\":";
      append_text(json, f.binding->name);
      fmt::format_to(std::back_inserter(json), ",\"expressionIndex\":{},\"validationActions\":{}}}", f.index,
                     f.binding->actions->json);
    }
    json += ']';
    return arena().copy(json);
  }
  static void append_text(std::string& json, std::string_view text) {
    JsonWriter(json, JsonEscape::Go).string(text);
  }

  const Engine::Loaded& loaded_;
  const AdmissionRequest& request_;
  ReviewContext& context_;
  ReviewContext::State& state_;
  Decision& decision_;
  MatchScene scene_;
  const NamespaceValues* namespace_ = nullptr;
  NamespaceValues assumed_;  // holds the namespace that `namespace_` points to if it is only assumed
  bool needs_namespace_ = false;
  bool reads_authorizer_ = false;   // whether an expression does
  const Param* param_ = nullptr;    // of the present evaluation
  const Equivalent* as_ = nullptr;  // what the policy matched as; null: the resource of the request
  View view_ = View::None;          // what is shown, and as what
  const Equivalent* shown_as_ = nullptr;
  size_t result_ = kNothing;         // of the present evaluation
  size_t shared_result_ = kUnknown;  // of the policy without param
  ValidationOutcome scrap_;
};

void Status::clear() {
  code = 0;
  reason = message = name = group = kind = missing_namespace = {};
  has_details = false;
  causes.clear();
}

void Decision::clear() {
  allowed = true;
  status.clear();
  error = {};
  warnings.clear();
  audit_annotations.clear();
  outcomes.clear();
  policies_matched = bindings_matched = 0;
  incomplete = false;
}

void Engine::review(const AdmissionRequest& request, ReviewContext& context, Decision& decision) const {
  Reviewer(*loaded_, request, context, decision).run();
}

}  // namespace portcullis
