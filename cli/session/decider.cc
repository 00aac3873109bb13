// See decider.h.
#include "cli/session/decider.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "admission/builtin/normalize.h"
#include "admission/builtin/time.h"
#include "admission/objects/difference.h"
#include "admission/objects/field_error.h"
#include "chain/client_warnings.h"
#include "chain/managed_fields.h"
#include "cli/messages/messages.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reports/doubts.h"
#include "cli/reports/failure_place.h"
#include "cli/reports/mutated.h"
#include "cli/reports/reached.h"
#include "cli/reports/webhooks.h"
#include "grammar/quote.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"
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

void deny(ReviewResult& r, const Status& status) {
  r.allowed = false;
  r.message = status.message;
  r.status = status_json(status);
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
  std::optional<CustomOutcome> custom = decode_custom();
  asked_ = request_.attributes;
  if (std::string text = custom ? "" : session_.customs().deprecation(asked_); !text.empty())
    request_.warnings.push_back(std::move(text));
  const Engine& engine = session_.engine();
  callers_.begin(asked_);
  const bool creates = asked_.operation == Operation::Create && asked_.subresource.empty();
  authorizer_.begin(creates && role_of(*request_.object) != Role::Review ? request_.object : nullptr);
  note_forbidden();
  const bool decodes = !custom || custom->decode_error.empty();
  std::optional<Conflict> conflict;
  if (decodes && request_.preconditions) conflict = find_uid_conflict(asked_, *request_.preconditions);
  if (decodes && !conflict) {
    chain::mutate(engine, asked_, context_, &callers_, admission_);
    chain::keep_valid_managed_fields(asked_, admission_);
    if (request_.preconditions && admission_.allowed) {
      conflict = find_version_conflict(asked_, *request_.preconditions,
                                       admission_.changed ? admission_.object : Value());
    }
  }
  request_.refusal = unknown_schema();
  if (admission_.changed) keep_namespace(custom.has_value());
  if (admission_.allowed && !conflict) {
    if (custom) Definitions::complete(request_.attributes, *custom, arena_, &trace_);
    if (admission_.changed && request_.incomplete) note_plugins();
    maker_->complete(request_);
    if (admission_.changed && !request_.refusal && !options_.as_is) note_dropped(custom.has_value());
    if (!request_.refusal) request_.refusal = refused_definition();
    if (!request_.refusal && role_of(*request_.object) != Role::Review) remark_version_of_new(request_);
  }
  if (request_.refusal) return false;
  const bool unfit = conflict || (custom && custom->refused());
  const bool validates = !unfit && admission_.allowed;
  if (validates) chain::validate(engine, request_.attributes, context_, &callers_, admission_);
  if (would_tell_more()) return false;
  admission_.decision.policies_matched += admission_.mutation.policies_matched;
  request_.refusal = unsure(unfit);
  if (request_.refusal) return false;
  policies_asked_ = !unfit;
  describe(admission_.decision);
  take_over();
  add_mutations(custom ? &*custom : nullptr);
  if (custom) add_custom(*custom);
  add_definition_warnings();
  for (const std::string& w : request_.warnings)
    result_.findings.push_back({.is_warning = true, .text = w, .position = result_.object->locate("")});
  result_.warnings.insert(result_.warnings.begin(), request_.warnings.begin(), request_.warnings.end());
  const Passage passage{engine, asked_, request_.attributes, validates, admission_, session_.cluster(),
                        trace_};
  keep_sent_warnings();
  if (explain_ && !unfit) result_.not_applied = not_applied(passage);
  if (options_.reach) result_.reached = reached(passage);
  if (conflict) refuse_conflict(*conflict);
  if (unfit && !conflict) refuse_unfit(*custom);
  return true;
}

// Says once of a verb and resource that the user of --as may not make such requests, by the RBAC objects of the files.
// The API server asks before it reads the body, so no policy sees them.
void Decider::note_forbidden() {
  const RbacFiles& rbac = session_.cluster().authorizer();
  const AdmissionRequest& a = asked_;
  if (options_.user.empty() || rbac.empty() || role_of(*request_.object) == Role::Review) return;
  // A client may also patch what it updates, and open a connection with either method.
  std::vector<std::string_view> verbs;
  switch (a.operation) {
    case Operation::Create: verbs = {"create"}; break;
    case Operation::Update: verbs = {"update", "patch"}; break;
    case Operation::Delete: verbs = {"delete"}; break;
    case Operation::Connect: verbs = {"create", "get"}; break;
  }
  const bool unnamed = a.operation == Operation::Create && a.subresource.empty();  // the URL has no name
  const bool made_namespace = unnamed && a.resource.group.empty() && a.resource.resource == "namespaces";
  AuthorizationAttributes asked{.user = &a.user, .resource_request = true};
  asked.group = a.resource.group;
  asked.version = a.resource.version;
  asked.resource = a.resource.resource;
  asked.subresource = a.subresource;
  asked.namespace_name = made_namespace ? std::string_view() : a.namespace_name;
  asked.name = unnamed ? std::string_view() : a.name;
  for (std::string_view verb : verbs) {
    asked.verb = verb;
    if (rbac.may(asked, arena_)) return;
  }
  const std::string resource =
      std::string(a.resource.resource) + (a.subresource.empty() ? "" : "/" + std::string(a.subresource));
  const std::string where = asked.namespace_name.empty()
                                ? "at the cluster scope"
                                : "in the namespace " + quote_json(asked.namespace_name);
  say({.severity = Severity::Note,
       .file = request_.object->file->name,
       .position = request_.object->locate("kind"),
       .text = fmt::format(
           "by the roles and bindings among the files, User {} cannot {} resource {} in API group {} {}; the "
           "API server refuses that before any policy sees it, and the verdict does not count it",
           quote_json(a.user.username), verbs.front(), quote_json(resource), quote_json(a.resource.group),
           where),
       .hint = {},
       .source = {},
       .once = fmt::format("forbidden {} {}.{}", verbs.front(), resource, a.resource.group),
       .excerpt = {}});
}

// Leaves the warnings that a client receives, and tells of the others.
void Decider::keep_sent_warnings() {
  if (result_.warnings.empty()) return;
  chain::ClientWarnings w = chain::client_warnings(result_.warnings);
  result_.warnings = std::move(w.sent);
  const auto note = [&](const std::string& text) {
    const InputObject& o = *request_.object;
    say(Severity::Note, o.file->name, o.locate("metadata.name"), text);
  };
  for (const std::string& text : w.unsendable) {
    note("the API server does not send a warning to the client, since it " +
         (text.empty() ? "is empty" : "has control characters or is no UTF-8: " + text));
  }
  if (w.cut)
    note("the API server cuts all warnings to 256 characters, since together they have more than 4,096");
  if (w.beyond > 0)
    note("the API server does not send the last " + std::to_string(w.beyond) + " of these warnings at all");
}

// Takes over the mutated object, which the API server refuses if it is in another namespace.
void Decider::keep_namespace(bool custom) {
  request_.attributes.object = admission_.object;
  if (!admission_.allowed) return;
  AdmissionRequest& a = request_.attributes;
  std::string_view refused;
  if (custom || request_.incomplete)
    refused = portcullis::keep_namespace(a, arena_);
  else if (a.served)
    refused = session_.customs().complete_served(a, arena_);
  if (refused.empty()) return;
  admission_.allowed = false;
  admission_.status = *read_json(bad_request(refused), arena_);
}

namespace {

// Whether `after` has what was there; a list may have more items.
bool keeps(const Value& before, const Value& after) {
  if (!before.is(Kind::List) || !after.is(Kind::List)) return same_data(before, after);
  return std::ranges::all_of(before.as_list(), [&](const Value& item) {
    return std::ranges::any_of(after.as_list(), [&](const Value& other) { return same_data(item, other); });
  });
}

}  // namespace

// Says once of a field that a plugin of the API server would look at it again after mutation, and may refuse it.
void Decider::note_plugins() const {
  struct Watched {
    std::string_view field, plugin;
  };
  static constexpr Watched kWatched[] = {{"priorityClassName", "Priority"},
                                         {"runtimeClassName", "RuntimeClass"}};
  const AdmissionRequest& a = request_.attributes;
  if (a.kind != GroupVersionKind{"", "v1", "Pod"} || a.operation != Operation::Create) return;
  const Value *before = find_member(asked_.object, "spec"), *after = find_member(a.object, "spec");
  if (before == nullptr || after == nullptr) return;
  for (const Watched& w : kWatched) {
    const Value *was = find_member(*before, w.field), *is = find_member(*after, w.field);
    if (was == is || (was != nullptr && is != nullptr && keeps(*was, *is))) continue;
    say({.severity = Severity::Note,
         .file = request_.object->file->name,
         .position = request_.object->locate("spec"),
         .text = "mutations change spec." + std::string(w.field) + ", at which an API server's plugin " +
                 std::string(w.plugin) + " looks again; whether it refuses the Pod is not known here",
         .hint = {},
         .source = {},
         .once = "plugin " + std::string(w.plugin),
         .excerpt = {}});
  }
}

namespace {

bool is_nothing(const Value& v) {
  return v.is_null() || (v.is(Kind::List) && v.as_list().empty()) ||
         (v.is(Kind::Map) && v.as_map().size() == 0);
}

// Whether one JSON pointer is the other, or of a part of it. "/-", the end of a list, is taken for the list.
bool overlap(std::string_view a, std::string_view b) {
  for (std::string_view* p : {&a, &b}) {
    if (p->ends_with("/-")) p->remove_suffix(2);
  }
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '/');
}

}  // namespace

// Says once of fields that mutations write them in vain: the object that the API server completes has it as it was.
void Decider::note_dropped(bool custom) const {
  constexpr size_t kMostNamed = 5;
  const AdmissionRequest& a = request_.attributes;
  Arena arena;
  // Of a custom resource, unknown fields stay until it is written.
  const Value stored = custom ? served(a.object, arena) : a.object;
  if (!stored.is(Kind::Map)) return;
  const std::vector<Difference> kept = differences(asked_.object, stored);
  std::vector<std::string> dropped;
  bool only_status = true, only_undeclared = true;
  for (const Difference& d : differences(asked_.object, admission_.object)) {
    // An update with another one is refused, and one without it replaces any state.
    const bool decides = a.operation == Operation::Update && d.path == "metadata.resourceVersion";
    // Nothing is lost with a null or an empty value.
    if (decides || (d.operation == Difference::Operation::Add && is_nothing(d.after))) continue;
    if (std::ranges::any_of(kept, [&](const Difference& k) { return overlap(k.pointer, d.pointer); }))
      continue;
    const bool status = overlap(d.pointer, "/status");
    only_status &= status;
    only_undeclared &= custom && !status && !overlap(d.pointer, "/metadata");
    dropped.push_back(d.path);
  }
  if (dropped.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(dropped.size(), kMostNamed); i++)
    names += (i == 0 ? "" : ", ") + dropped[i];
  if (dropped.size() > kMostNamed) names += " and " + std::to_string(dropped.size() - kMostNamed) + " more";
  std::string why;
  if (only_status && a.subresource.empty())
    why = custom ? "requests for the subresource status write it, if the definition of the kind declares that"
                 : "only requests for the subresource status write it";
  if (only_undeclared) why = "the definition of the kind does not declare it";
  const std::string kind(a.kind.kind);
  say({.severity = Severity::Note,
       .file = request_.object->file->name,
       .position = request_.object->locate("metadata.name"),
       .text = "mutations change " + names + " of this " + kind + " in vain: the API server drops the change",
       .hint = std::move(why),
       .source = {},
       .once = "dropped " + kind + " " + names,
       .excerpt = {}});
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
std::optional<Refusal> Decider::unsure(bool unfit) {
  if (!callers_.missing().empty())
    return refusal("", "there is no recorded answer of a webhook: " + callers_.missing(),
                   std::string(callers_.missing_hint()));
  const ParamScopes& scopes = session_.scopes();
  std::string depends = unfit ? "" : doubt_.differs(request_.attributes, admission_.decision, scopes);
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

// --- results ---

// What policies and webhooks did to the object. The result refers to the request.
void Decider::add_mutations(const CustomOutcome* custom) {
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
  result_.completed = custom == nullptr ? answered(completed) : custom->answered(arena_, completed);
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
void Decider::add_custom(const CustomOutcome& custom) {
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

// An update of another state than the stored one: no validating policy is asked.
void Decider::refuse_conflict(const Conflict& conflict) {
  result_.allowed = false;
  result_.message = conflict.message;
  result_.status = conflict.status;
  result_.findings.push_back({false, conflict.message, result_.object->locate(conflict.field)});
  result_.findings.back().source = "conflict";
}

// A custom resource that its definition refuses: no policy is asked.
void Decider::refuse_unfit(const CustomOutcome& outcome) {
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
