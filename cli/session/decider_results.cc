// What the result of a request tells. See decider.h.
#include <memory>
#include <utility>

#include "admission/builtin/normalize.h"
#include "admission/objects/field_error.h"
#include "cli/reports/doubts.h"
#include "cli/reports/failure_place.h"
#include "cli/reports/mutated.h"
#include "cli/reports/reached.h"
#include "cli/reports/webhooks.h"
#include "cli/requests/remarks.h"
#include "cli/session/decider.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

void deny(ReviewResult& r, const Status& status) {
  r.allowed = false;
  r.message = status.message;
  r.status = status_json(status);
}

}  // namespace

// Makes the result of a request that has a verdict. `validates`: validating policies were asked.
void Decider::collect(bool validates) {
  describe(admission_.decision);
  take_over();
  add_mutations();
  if (custom_) add_custom();
  add_definition_warnings();
  auto warn = [&](std::span<const std::string> warnings, std::string_view source) {
    for (const std::string& w : warnings)
      result_.findings.push_back(
          {.is_warning = true, .text = w, .position = result_.object->locate(""), .source = source});
    result_.warnings.insert(result_.warnings.begin(), warnings.begin(), warnings.end());
  };
  if (!plugins_.warning.empty()) warn({&plugins_.warning, 1}, plugins_.plugin);
  warn(request_.warnings, "definition");
  keep_sent_warnings();
  const Passage passage{session_.engine(),  asked_, request_.attributes, validates, admission_,
                        session_.cluster(), trace_};
  if (explain_ && !is_unfit()) result_.not_applied = not_applied(passage);
  if (options_.reach) result_.reached = reached(passage);
  if (stop_)
    refuse_stopped();
  else if (is_unfit())
    refuse_unfit();
}

// What policies and webhooks did to the object. The result refers to the request.
void Decider::add_mutations() {
  const Mutation& mutation = admission_.mutation;
  const ReviewCluster& cluster = session_.cluster();
  add_mutation(result_, mutation, asked_.object, cluster, trace_, explain_);
  if (admission_.changed) {
    result_.before = asked_.object;
    result_.after = admission_.object;
  }
  add_webhooks(result_, admission_, cluster, explain_);
  if (explain_) add_doubts(result_, mutation, session_.engine(), asked_, context_.authorizer);
  if (!result_.after.is(Kind::Map)) return;
  const Value& completed = request_.attributes.object;
  result_.completed = custom_ ? custom_->answered(arena_, completed) : answered(completed);
  result_.served = [this, scratch = std::make_shared<Arena>()](const Value& manifest) {
    return served(manifest, *scratch);
  };
}

// The object of a request as the API server answers it: the status gets its defaults when it is read from storage.
Value Decider::answered(const Value& object) {
  if (!request_.attributes.typed || !builtin::is_builtin(object)) return object;
  builtin::Normalized read = builtin::normalize(arena_, object);
  return read.error.empty() ? read.object : object;
}

// What the definition of a custom resource says.
void Decider::add_custom() {
  const CustomOutcome& custom = *custom_;
  remark_unknown_fields(*result_.object, custom.unfitting, result_.remarks);
  for (CustomOutcome::Error& e : custom.errors_of(*result_.object))
    result_.findings.push_back({false, std::move(e.text), result_.object->locate(e.path), std::move(e.hint),
                                rule_failure(custom, e, trace_)});
  for (const std::string& w : custom.warnings)
    result_.findings.push_back({true, w, result_.object->locate("")});
  result_.warnings.insert(result_.warnings.begin(), custom.warnings.begin(), custom.warnings.end());
}

// What the API server warns of in a definition that the request writes.
void Decider::add_definition_warnings() {
  std::vector<std::string> texts;
  for (const PolicyProblem& w : definition_.warnings) {
    result_.findings.emplace_back(ServerFinding{true, w.text, w.position});
    texts.push_back(w.text);
  }
  result_.warnings.insert(result_.warnings.begin(), texts.begin(), texts.end());
}

// A conflict with the stored object, or the refusal of a plugin: no validating policy is asked.
void Decider::refuse_stopped() {
  result_.allowed = false;
  result_.message = stop_->message;
  result_.status = stop_->status;
  result_.findings.push_back({false, stop_->message, result_.object->locate(stop_->field)});
  result_.findings.back().source = stopped_by_;
}

// A custom resource that its definition refuses: no policy is asked.
void Decider::refuse_unfit() {
  const CustomOutcome& outcome = *custom_;
  const AdmissionRequest& a = request_.attributes;
  result_.allowed = false;
  if (!outcome.decode_error.empty()) {
    result_.message = cannot_be_handled(a.kind, outcome.decode_error);
    result_.status = bad_request(result_.message);
    return;
  }
  result_.message = outcome.refusal();
  result_.status = outcome.refusal_status();
  result_.invalid = outcome.errors;
}

void Decider::describe(const Decision& decision) {
  const AdmissionRequest& a = request_.attributes;
  ReviewResult& r = result_;
  r.object = request_.object;
  r.api_version = a.kind.group.empty() ? "" : std::string(a.kind.group) + "/";
  r.api_version += a.kind.version;
  r.kind = a.kind.kind;
  bool cluster_scoped = a.kind.kind == "Namespace" && a.kind.group.empty();
  r.namespace_name = cluster_scoped ? "" : a.namespace_name;
  r.name = a.name;
  r.resource = resource_text(a.resource, a.subresource);
  r.operation = operation_name(a.operation);
  r.deleted = maker_->settings().deletes;
  r.uid = request_.uid;
  r.allowed = decision.allowed;
  if (!decision.allowed)
    deny(r, decision.error.empty() ? decision.status : Status{.message = decision.error});
  r.warnings.assign(decision.warnings.begin(), decision.warnings.end());
  r.audit_annotations.assign(decision.audit_annotations.begin(), decision.audit_annotations.end());
  r.policies_matched = decision.policies_matched;
  r.remarks = request_.remarks;
  if (!request_.refusal) add_assumptions();
  for (const ValidationOutcome& o : decision.outcomes) {
    add_failure(o);
    add_evaluated(r, o);
  }
}

void Decider::add_assumptions() {
  const auto add = [&](std::string_view field, std::string text) {
    result_.remarks.push_back({Remark::About::Assumed, result_.object->locate(field), std::move(text)});
  };
  for (Session::Assumption& assumed : session_.assumptions(asked_, request_.attributes))
    add(assumed.field, std::move(assumed.text));
  if (session_.contradictions().of_roles() && authorizer_.asked())
    add("", "the files have several copies of a role or a binding, and what decides asks the authorizer");
}

// The verdict, warnings and annotations of the whole chain.
void Decider::take_over() {
  ReviewResult& r = result_;
  r.warnings.assign(admission_.warnings.begin(), admission_.warnings.end());
  r.audit_annotations.assign(admission_.audit_annotations.begin(), admission_.audit_annotations.end());
  if (admission_.allowed) return;
  if (!admission_.error.empty()) return deny(r, Status{.message = admission_.error});
  r.allowed = false;
  r.message = text_member(admission_.status, "message");
  r.status = to_json(admission_.status);
}

void Decider::add_failure(const ValidationOutcome& o) {
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
  f.unevaluated = f.error && o.kind != Kind::ConfigError;
  place_failure(f, o, session_.cluster(), trace_);
  result_.failures.push_back(std::move(f));
}

}  // namespace portcullis
