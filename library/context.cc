// The memory of a thread's reviews, and decisions in the types of the public face: see context.h.
#include "library/context.h"

#include "admission/objects/difference.h"
#include "interpreter/values/member.h"
#include "library/bridge.h"
#include "manifests/status.h"

namespace portcullis::v1 {

namespace {

// The code of a mutation whose kind has no known schema. A cluster with its definition would continue.
constexpr int kNoSchema = 503;

// The enumerations of the face have the same values as those of the rooms, and are cast.
template <class Outer, class Inner>
constexpr bool same(Outer outer, Inner inner) {
  return static_cast<int>(outer) == static_cast<int>(inner);
}
using ToResult = ValidationResult::Kind;
using ToMutation = MutationResult::Kind;
using FromResult = ValidationOutcome::Kind;
using FromMutation = MutationOutcome::Kind;
using ToWebhook = WebhookResult::Kind;
using FromWebhook = chain::WebhookOutcome::Kind;
static_assert(same(ToWebhook::NotAgain, FromWebhook::NotAgain) &&
              same(ToWebhook::Unknown, FromWebhook::Unknown) &&
              same(ToWebhook::Allowed, FromWebhook::Allowed) &&
              same(ToWebhook::Denied, FromWebhook::Denied) && same(ToWebhook::Failed, FromWebhook::Failed));
static_assert(same(ToResult::Failed, FromResult::Failed) && same(ToResult::Error, FromResult::Error) &&
              same(ToResult::ConfigError, FromResult::ConfigError) &&
              same(ToResult::AnnotationError, FromResult::AnnotationError) &&
              same(ToResult::ConditionsFalse, FromResult::ConditionsFalse));
static_assert(same(ToMutation::TestFailed, FromMutation::TestFailed) &&
              same(ToMutation::NoObject, FromMutation::NoObject) &&
              same(ToMutation::Error, FromMutation::Error) &&
              same(ToMutation::ConfigError, FromMutation::ConfigError) &&
              same(ToMutation::ConditionsFalse, FromMutation::ConditionsFalse) &&
              same(ToMutation::NotAgain, FromMutation::NotAgain));
static_assert(same(v1::Operation::Update, portcullis::Operation::Update) &&
              same(v1::Operation::Delete, portcullis::Operation::Delete) &&
              same(v1::Operation::Connect, portcullis::Operation::Connect));

}  // namespace

Context::Context() : state_(std::make_unique<State>()) { state_->webhooks.review = &state_->review; }
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
void Context::set_authorizer(const Authorizer* authorizer) { state_->authorizer.target = authorizer; }
void Context::set_webhook_caller(WebhookCaller* caller) { state_->webhooks.target = caller; }
void Context::set_interrupt(const std::atomic<bool>* interrupt) { state_->review.interrupt = interrupt; }
void Context::set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) {
  state_->review.deadline = deadline;
}
void Context::set_max_memory(size_t bytes) {
  state_->arena.set_most(bytes);
  state_->review.set_max_memory(bytes);
}
void Context::want_results(Results wanted) {
  state_->review.want_outcomes = wanted != Results::None;
  state_->review.want_passed = wanted == Results::All;
}
void Context::release() { state_->engine.reset(); }

const Decision& Context::State::show() {
  const portcullis::Status& s = inner.status;
  causes.clear();
  for (const StatusCause& c : s.causes) causes.push_back(c.message);
  // Annotations and messages that an expression took from the request are views of its texts, and so are names.
  auto kept = [this](std::string_view text) { return arena.copy(text); };
  results.clear();
  for (const ValidationOutcome& o : inner.outcomes) {
    results.push_back({static_cast<ValidationResult::Kind>(o.kind), o.ignored, o.denied, o.warned, o.audited,
                       o.policy, o.binding, o.param, o.validation, o.expression, kept(o.message), o.reason,
                       o.cost});
  }
  mutations.clear();
  for (const MutationOutcome& o : mutation.outcomes) {
    mutations.push_back({static_cast<MutationResult::Kind>(o.kind), o.ignored, o.changed, o.pass, o.policy,
                         o.binding, o.param, o.mutation, o.expression, o.message, o.reason, outer(o.before),
                         outer(o.after), o.cost});
  }
  decision.allowed = inner.allowed;
  decision.refused = decision.interrupted = decision.assumed_namespace = false;
  decision.status = {s.code,       s.reason, s.message, kept(s.name),       kept(s.group),
                     kept(s.kind), causes,   {},        s.missing_namespace};
  if (!inner.error.empty()) decision.status.message = inner.error;
  decision.warnings = inner.warnings;
  annotations.clear();
  for (const auto& [key, value] : inner.audit_annotations) annotations.emplace_back(key, kept(value));
  decision.audit_annotations = annotations;
  decision.unknown_fields = unknown_fields;
  decision.results = results;
  decision.mutated = mutation.allowed && mutation.changed;
  decision.before = decision.mutated ? outer(before) : Value();
  decision.after = decision.mutated ? outer(mutation.object) : Value();
  decision.mutations = mutations;
  decision.policies_matched = mutation.policies_matched + inner.policies_matched;
  decision.bindings_matched = mutation.bindings_matched + inner.bindings_matched;
  decision.webhooks = {};
  decision.incomplete = mutation.incomplete || inner.incomplete;
  return decision;
}

const Decision& Context::State::show_chain() {
  chain::Admission& c = *chain;
  std::swap(inner, c.decision);
  show();
  decision.allowed = c.allowed;
  decision.refused = !mutation.allowed && mutation.status.code == kNoSchema;
  decision.status = {};
  if (!c.allowed && !c.error.empty()) {
    decision.status.message = c.error;
  } else if (!c.allowed) {
    show_status(c.status);
    Status& s = decision.status;
    s.missing_namespace = s.message.substr(s.message.size() - c.missing_namespace.size());
  }
  return add_chain();
}

const Decision& Context::State::add_chain() {
  const chain::Admission& c = *chain;
  decision.warnings = c.warnings;
  annotations.assign(c.audit_annotations.begin(), c.audit_annotations.end());
  decision.audit_annotations = annotations;
  decision.mutated = c.changed && !c.object.is_null();
  decision.before = decision.mutated ? outer(before) : Value();
  decision.after = decision.mutated ? outer(c.object) : Value();
  webhook_results.clear();
  for (const chain::WebhookOutcome& o : c.webhooks) {
    webhook_results.push_back({static_cast<WebhookResult::Kind>(o.kind), o.mutating, o.ignored, o.changed,
                               o.pass, o.configuration, o.webhook, static_cast<int>(o.index), o.version,
                               o.text, outer(o.before), outer(o.after)});
  }
  decision.webhooks = webhook_results;
  decision.incomplete |= c.unknown;
  return decision;
}

void Context::State::show_status(const portcullis::Value& value) {
  status = portcullis::to_json(value);
  Status& s = decision.status;
  s.json = status;
  auto text = [this](const portcullis::Value& in, const char* name) {
    return arena.copy(text_member(in, name));
  };
  s.reason = text(value, "reason");
  s.message = text(value, "message");
  const portcullis::Value* code = find_member(value, "code");
  if (code != nullptr && code->is(portcullis::Kind::Int)) s.code = static_cast<int>(code->as_int());
  const portcullis::Value* details = find_member(value, "details");
  if (details == nullptr || !details->is(portcullis::Kind::Map)) return;
  s.name = text(*details, "name");
  s.group = text(*details, "group");
  s.kind = text(*details, "kind");
  causes.clear();
  const portcullis::Value* list = find_member(*details, "causes");
  if (list == nullptr || !list->is(portcullis::Kind::List)) return;
  for (const portcullis::Value& cause : list->as_list()) causes.push_back(text(cause, "message"));
  s.causes = causes;
}

const Decision& Context::State::refuse(int code, std::string_view reason, std::string_view message) {
  inner.clear();
  inner.allowed = false;
  inner.status.code = code;
  inner.status.reason = reason;
  inner.status.message = arena.copy(message);
  show();
  decision.refused = true;
  return decision;
}

const Decision& Context::State::refuse_interrupted() {
  mutation.clear();
  refuse(504, "Timeout", "the review was interrupted before it had a verdict");
  decision.interrupted = true;
  return decision;
}

const Decision& Context::State::refuse_mutation() {
  inner.clear();
  inner.allowed = false;
  inner.status = mutation.status;
  show();
  decision.refused = inner.status.code == kNoSchema;
  return decision;
}

// Bytes of the operations of a patch.
constexpr size_t kMostDifferences = size_t{32} << 20;

std::string patch_json(const Decision& decision) {
  if (!decision.mutated) return {};
  return json_patch_text(differences(inner(decision.before), inner(decision.after), kMostDifferences));
}

std::string status_json(const Decision& decision) {
  const Status& s = decision.status;
  if (!s.json.empty()) return std::string(s.json);
  portcullis::Status status;
  status.code = s.code;
  status.reason = s.reason;
  status.message = s.message;
  status.has_details = !s.kind.empty() || !s.name.empty() || !s.causes.empty();
  status.name = s.name;
  status.group = s.group;
  status.kind = s.kind;
  for (std::string_view cause : s.causes) status.causes.push_back({cause});
  return portcullis::status_json(status);
}

}  // namespace portcullis::v1
