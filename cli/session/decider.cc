// See decider.h.
#include "cli/session/decider.h"

#include <utility>

#include "admission/builtin/time.h"
#include "chain/managed_fields.h"
#include "cli/messages/messages.h"
#include "cli/requests/remarks.h"
#include "interpreter/values/json.h"
#include "manifests/conflict.h"
#include "manifests/namespaces.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

// The code of a mutation whose kind has no known schema. A cluster with its definition would continue, so
// there is no verdict.
constexpr int kNoSchema = 503;

Detail detail_of(const ReviewOptions& options, bool explain) {
  if (!explain && !options.reach) return Detail::Errors;
  return options.output == "text" ? Detail::Blamed : Detail::All;
}

// Says once that a definition is used that a new server would not take.
void note_established(const InputObject& o, const std::string& refusal) {
  say({.severity = Severity::Note,
       .file = o.file->name,
       .position = o.locate("status"),
       .text = "this definition is established, so it is used; the API server would refuse to create it: " +
               refusal,
       .hint = {},
       .source = {},
       .once = "established " + std::string(o.name),
       .excerpt = {}});
}

}  // namespace

Decider::Decider(const Session& session, WebhookCallers& callers, bool explain, ReviewTrace* also)
    : session_(session),
      options_(session.options()),
      callers_(callers),
      explain_(explain),
      trace_(also, detail_of(options_, explain)),
      authorizer_(session.cluster().authorizer()),
      doubt_(session.doubtful_engine(), &authorizer_) {
  context_.want_outcomes = true;
  context_.want_merges = explain_;
  context_.trace = &trace_;
  context_.authorizer = &authorizer_;
}

void Decider::tell_failures_only() {
  needs_trace_ = explain_ || options_.reach || trace_.also() != nullptr ||
                 session_.engine().has_mutations() || !session_.cluster().configurations().empty();
}

const ReviewResult& Decider::decide(const Request& request, RequestMaker& maker) {
  maker_ = &maker;
  if (needs_trace_ || !attempt(request, false)) attempt(request, true);
  return result_;
}

// False if the result would say more with a trace.
bool Decider::attempt(const Request& request, bool traced) {
  context_.want_passed = traced;
  context_.trace = traced ? &trace_ : nullptr;
  trace_.begin();
  arena_.reset();
  admission_.clear();
  policies_asked_ = false;
  definition_ = {};
  custom_.reset();
  stop_.reset();
  plugins_ = {};
  std::vector<ReviewEvaluated> room = std::move(result_.evaluated);
  room.clear();
  result_ = {.evaluated = std::move(room)};
  request_ = request;
  const bool passed = pass();
  if (would_tell_more()) return false;
  if (!passed) refuse();
  return true;
}

bool Decider::would_tell_more() const {
  return context_.trace == nullptr && !admission_.decision.outcomes.empty();
}

// Sends the request through the chain. False if there is no verdict: it has a refusal then.
bool Decider::pass() {
  if (!request_.refusal) request_.refusal = undefined_kind();
  if (request_.refusal) return false;
  prepare();
  mutate();
  if (admission_.allowed && !stop_) complete();
  if (request_.refusal) return false;
  const bool validates = !is_unfit() && admission_.allowed;
  if (validates) chain::validate(session_.engine(), request_.attributes, context_, &callers_, admission_);
  if (would_tell_more()) return false;
  admission_.decision.policies_matched += admission_.mutation.policies_matched;
  request_.refusal = unsure();
  if (request_.refusal) return false;
  policies_asked_ = !is_unfit();
  collect(validates);
  return true;
}

// Whether no validating policy is asked: something else stops the request, or its definition refuses the object.
bool Decider::is_unfit() const { return stop_ || (custom_ && custom_->refused()); }

// The request as mutating policies see it first.
void Decider::prepare() {
  custom_ = decode_custom();
  asked_ = request_.attributes;
  if (std::string text = custom_ ? "" : session_.customs().deprecation(asked_); !text.empty())
    request_.warnings.push_back(std::move(text));
  callers_.begin(asked_);
  const bool creates = asked_.operation == Operation::Create && asked_.subresource.empty();
  authorizer_.begin(creates && role_of(*request_.object) != Role::Review ? request_.object : nullptr);
  note_forbidden();
}

// Runs mutating policies and webhooks, unless the object does not decode or another one is stored.
void Decider::mutate() {
  const bool decodes = !custom_ || custom_->decode_error.empty();
  stopped_by_ = "conflict";
  if (decodes && request_.preconditions) stop_ = find_uid_conflict(asked_, *request_.preconditions);
  if (decodes && !stop_) {
    chain::mutate(session_.engine(), asked_, context_, &callers_, admission_);
    chain::keep_valid_managed_fields(asked_, admission_);
    if (request_.preconditions && admission_.allowed) {
      stop_ = find_version_conflict(asked_, *request_.preconditions,
                                    admission_.changed ? admission_.object : Value());
    }
  }
  request_.refusal = unknown_schema();
  if (admission_.changed) keep_namespace();
}

// Completes the object as the API server does before validation, and says what is known of it then.
void Decider::complete() {
  if (custom_) Definitions::complete(request_.attributes, *custom_, arena_, &trace_);
  if (admission_.changed && request_.incomplete) note_plugins();
  maker_->complete(request_);
  if (admission_.changed && !request_.refusal && !options_.as_is) note_dropped();
  if (!request_.refusal) request_.refusal = refused_definition();
  if (request_.refusal || role_of(*request_.object) == Role::Review) return;
  remark_version_of_new(request_);
  ask_plugins();
}

// Asks the API server's own admission plugins, which come before validating policies.
void Decider::ask_plugins() {
  if (!request_.attributes.typed || stop_) return;
  plugins_ = portcullis::ask_plugins(session_.engine(), maker_->surroundings(), request_.attributes);
  stop_ = plugins_.refusal;
  stopped_by_ = plugins_.plugin;
}

// Takes over the mutated object, which the API server refuses if it is in another namespace.
void Decider::keep_namespace() {
  request_.attributes.object = admission_.object;
  if (!admission_.allowed) return;
  AdmissionRequest& a = request_.attributes;
  std::string_view refused;
  if (custom_ || request_.incomplete)
    refused = portcullis::keep_namespace(a, arena_);
  else if (a.served)
    refused = session_.customs().complete_served(a, arena_);
  if (refused.empty()) return;
  admission_.allowed = false;
  admission_.status = *read_json(bad_request(refused), arena_);
}

// --- why there is no verdict ---

Refusal Decider::refusal(std::string_view path, std::string text, std::string hint) const {
  return {.file = request_.object->file,
          .position = request_.object->locate(path),
          .text = std::move(text),
          .hint = std::move(hint)};
}

std::optional<Refusal> Decider::undefined_kind() const {
  if (options_.as_is) return std::nullopt;
  if (const GivenDefinition* used = session_.customs().established(*request_.object))
    note_established(*used->object, used->refusal());
  auto refused = session_.customs().refused(*request_.object);
  if (!refused) return std::nullopt;
  return refusal("kind", std::move(refused->text), std::move(refused->hint));
}

// A mutating policy applies to a kind without a known schema.
std::optional<Refusal> Decider::unknown_schema() const {
  const Mutation& mutation = admission_.mutation;
  if (mutation.allowed || mutation.status.code != kNoSchema) return std::nullopt;
  Refusal out = refusal("kind", std::string(mutation.status.message),
                        "its CustomResourceDefinition is not among the files");
  out.status = status_json(mutation.status);
  return out;
}

// A request that writes a CustomResourceDefinition which the API server does not take.
std::optional<Refusal> Decider::refused_definition() {
  if (options_.as_is || role_of(*request_.object) == Role::Review) return std::nullopt;
  definition_ = CustomResources::written(request_.attributes, *request_.object, admission_.changed);
  const std::vector<PolicyProblem>& errors = definition_.refused;
  if (errors.empty()) return std::nullopt;
  if (definition_.established) {
    note_established(*request_.object, errors.front().text);
    return std::nullopt;
  }
  const PolicyProblem& first = errors.front();
  const bool placed = !first.findings.empty();
  Refusal out{.file = request_.object->file,
              .position = first.position,
              .text = "the API server refuses this definition: " +
                      (placed ? first.path + ": " + first.findings[0].text : first.text),
              .hint = placed ? first.findings[0].hint : first.hint,
              .status = definition_.status};
  if (errors.size() > 1) {  // `check` knows no former state
    const bool updates = request_.attributes.operation == Operation::Update;
    out.hint += (out.hint.empty() ? "" : "; ") +
                std::string(updates ? "`-o json` has" : "`portcullis check` tells") + " all " +
                std::to_string(errors.size()) + " errors";
  }
  return out;
}

// A webhook has no recorded answer, or the decision depends on a scope that nobody knows.
std::optional<Refusal> Decider::unsure() {
  if (!callers_.missing().empty())
    return refusal("", "there is no recorded answer of a webhook: " + callers_.missing(),
                   std::string(callers_.missing_hint()));
  const ParamScopes& scopes = session_.scopes();
  std::string depends = is_unfit() ? "" : doubt_.differs(request_.attributes, admission_.decision, scopes);
  if (depends.empty()) return std::nullopt;
  return refusal("", std::move(depends), scopes.advice());
}

// The result of a manifest without a verdict.
void Decider::refuse() {
  describe({});
  ReviewResult& r = result_;
  if (r.kind.empty()) {  // an AdmissionReview whose request cannot be read
    r.kind = request_.object->kind;
    r.api_version = request_.object->api_version;
  }
  r.allowed = false;
  r.refusal = request_.refusal;
  r.status = request_.refusal->status;
  r.message = request_.refusal->text;
}

// What mutating policies would see of another manifest.
Value Decider::served(const Value& manifest, Arena& arena) const {
  if (request_.attributes.typed) return maker_->served(request_, manifest, arena);
  AdmissionRequest other = request_.attributes;
  other.object = manifest;
  portcullis::keep_namespace(other, arena);
  auto custom = session_.customs().decode(other, arena);
  return custom && custom->decode_error.empty() ? custom->object : Value();
}

std::optional<CustomOutcome> Decider::decode_custom() {
  const CustomResources& customs = session_.customs();
  const RequestSettings& settings = maker_->settings();
  AdmissionRequest& request = request_.attributes;
  if (!settings.managed_fields || settings.as_is) return customs.decode(request, arena_);
  crd::FieldManagers managers{field_manager(settings.field_manager, request.operation),
                              field_manager(settings.field_manager, Operation::Create),
                              builtin::time_now(arena_)};
  return customs.decode(request, arena_, &managers);
}

}  // namespace portcullis
