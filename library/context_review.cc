// See context_review.h.
#include "library/context_review.h"

#include <utility>

#include "admission/builtin/normalize.h"
#include "admission/builtin/time.h"
#include "admission/engine/scene.h"
#include "admission/matching/asked_versions.h"
#include "admission/scalars/names.h"
#include "interpreter/values/member.h"
#include "library/bridge.h"
#include "manifests/built_in_objects.h"
#include "manifests/conflict.h"
#include "manifests/deletion.h"
#include "manifests/kind_words.h"
#include "manifests/kubectl.h"
#include "manifests/namespaces.h"
#include "manifests/plugin.h"
#include "manifests/status.h"

namespace portcullis::v1 {
namespace {

// An object in a message: "v1 Pod shop/web".
std::string title_of(const InputObject& o) {
  std::string out(o.api_version);
  out.append(" ").append(o.kind).append(" ").append(o.namespace_name);
  return out.append(o.namespace_name.empty() ? "" : "/").append(o.name);
}

// Whether an update may replace `old` by `object`: only the version of the kind may differ.
bool are_one(const InputObject& object, const InputObject& old) {
  return object.group() == old.group() && object.kind == old.kind && object.name == old.name &&
         object.namespace_name == old.namespace_name;
}

// Why a manifest cannot be asked about so; empty if it can.
std::string malformed(const ManifestRequest& r) {
  if (r.operation == v1::Operation::Connect) return "a CONNECT has no manifest: Engine::review decides it";
  if (r.operation > v1::Operation::Connect) return std::string(kNoOperation);
  if (is_nameless(r.user)) return std::string(kNameless);
  for (std::string_view field : {"kind", "apiVersion"}) {
    if (text_member(inner(r.object), field).empty()) return "the object has no " + std::string(field);
  }
  if (r.operation == v1::Operation::Update && !r.old_object.is(Kind::Map))
    return "this is an UPDATE, and what it replaces is not given";
  return {};
}

// Why no API server makes such a request; empty if one may.
std::string_view malformed(const Request& r) {
  if (r.kind.kind.empty()) return "the request has no kind";
  if (r.kind.version.empty()) return "the kind of the request has no version";
  if (r.resource.resource.empty()) return "the request has no resource";
  if (r.resource.version.empty()) return "the resource of the request has no version";
  auto is_object = [](const Value& v) { return v.is_null() || v.is(Kind::Map); };
  if (!is_object(r.object)) return "request.object is no object";
  if (!is_object(r.old_object)) return "request.oldObject is no object";
  if (!is_object(r.options)) return "request.options is no object";
  switch (r.operation) {
    case v1::Operation::Create:
      if (r.object.is_null()) return "this is a CREATE, and the object is not given";
      break;
    case v1::Operation::Update:
      if (r.object.is_null()) return "this is an UPDATE, and the object is not given";
      if (r.old_object.is_null()) return "this is an UPDATE, and what it replaces is not given";
      break;
    case v1::Operation::Delete:
      if (!r.object.is_null()) return "this is a DELETE: what it deletes is the old object";
      break;
    case v1::Operation::Connect: break;
    default: return kNoOperation;
  }
  return is_nameless(r.user) ? kNameless : std::string_view();
}

}  // namespace

// An object with its names.
InputObject object_of(const portcullis::Value& value) {
  InputObject o;
  o.value = value;
  o.api_version = text_member(value, "apiVersion");
  o.kind = text_member(value, "kind");
  if (const portcullis::Value* metadata = find_member(value, "metadata")) {
    o.name = text_member(*metadata, "name");
    o.namespace_name = text_member(*metadata, "namespace");
  }
  return o;
}

ContextReview::ContextReview(const std::shared_ptr<const Engine::State>& engine, Context::State& context)
    : rules_(*engine->rules),
      engine_(*engine),
      context_(context),
      mutates_(engine->engine->has_mutations()),
      managed_fields_(engine->rules->sees_managed_fields) {
  context_.arena.reset();
  context_.unknown_fields.clear();
  context_.warnings.clear();
  context_.request = {};
  context_.inner.clear();
  context_.mutation.clear();
  context_.before = {};
  context_.review.interrupted = false;
  context_.review.reinvoked.reset();
  context_.review.versions = {};
  if (context_.engine != engine) context_.engine = engine;  // counting references would cost every review
}

// --- the request ---

const Decision* ContextReview::refuse_unserved(const Resource& kind) {
  const AdmissionRequest& a = context_.request;
  const Served* found = rules_.find_served(a.resource, a.subresource);
  Served to{.group = a.resource.group,
            .version = a.resource.version,
            .resource = a.resource.resource,
            .subresource = a.subresource,
            .kind = a.kind.kind,
            .body_group = a.kind.group,
            .body_version = a.kind.version,
            .body_kind = a.kind.kind,
            .operations = kUpdate};
  if (found != nullptr) {
    to = *found;
  } else if (a.subresource.empty()) {
    return nullptr;
  } else if (kind.availability != Availability::Guessed || a.subresource != "status") {
    // Resources of unknown kinds may have their status.
    to.subresource = {};
    return &context_.refuse(404, "NotFound",
                            name_of(to, true) + " has no subresource " + quote_json(a.subresource));
  }
  if (to.body_group != a.kind.group || to.body_version != a.kind.version || to.body_kind != a.kind.kind) {
    return &context_.refuse(400, "BadRequest",
                            name_of(to, true) + " takes " + join_api_version(to.body_group, to.body_version) +
                                " " + std::string(to.body_kind) + ", not " + kind_name(kind));
  }
  if ((to.operations & operation_bit(a.operation)) != 0) return nullptr;
  const std::string taken = to.operations == 0 ? " is only read"
                                               : " takes " + operation_names(to.operations) + ", not " +
                                                     std::string(operation_name(a.operation));
  return &context_.refuse(405, "MethodNotAllowed", name_of(to, true) + taken);
}

const Decision* ContextReview::refuse_namespace(const Resource& kind) {
  const AdmissionRequest& a = context_.request;
  if (!kind.namespaced) return nullptr;
  if (a.namespace_name.empty()) {
    if (kind.availability == Availability::Guessed) return nullptr;  // its scope, too, is a guess
    // As clients of Kubernetes say: no server is asked without namespace.
    return &context_.refuse(400, "BadRequest",
                            a.operation == portcullis::Operation::Create
                                ? "an empty namespace may not be set during creation"
                                : "an empty namespace may not be set when a resource name is provided");
  }
  if (names::dns1123_label(a.namespace_name).empty()) return nullptr;
  context_.refuse(404, "NotFound", missing_namespace(a, arena()));
  Status& status = context_.decision.status;
  status.missing_namespace = status.message;
  return &context_.decision;
}

const Decision* ContextReview::make(const ManifestRequest& asked) {
  if (std::string why = malformed(asked); !why.empty()) return &context_.refuse(400, "BadRequest", why);
  const bool has_old = asked.operation == v1::Operation::Update;
  InputObject object = object_of(inner(asked.object));
  InputObject old = has_old ? object_of(inner(asked.old_object)) : InputObject();
  if (const Decision* refused = address(asked, object, has_old ? &old : nullptr)) return refused;
  if (has_old) preconditions_ = preconditions_of(object.value, old.value);
  if (const Decision* refused = decode(asked, object.value, has_old ? &old.value : nullptr)) return refused;
  if (!has_old) return nullptr;
  const auto conflict = find_uid_conflict(context_.request, *preconditions_);
  return conflict ? refuse(*conflict) : nullptr;
}

const Decision* ContextReview::address(const ManifestRequest& asked, InputObject& object, InputObject* old) {
  AdmissionRequest& a = context_.request;
  const Resource r = rules_.resources.find(object.api_version, object.kind);
  if (!r.exists()) return &context_.refuse(404, "NotFound", no_match(r));
  if (std::string why = rules_.definitions.refusal(object); !why.empty() && !asked.as_is)
    return &context_.refuse(404, "NotFound", "the API server refuses the definition of this kind: " + why);
  const std::string_view space = asked.namespace_name;
  settle(object, r.namespaced, space, arena());
  if (old != nullptr) settle(*old, r.namespaced, space, arena());
  if (old != nullptr && !are_one(object, *old)) {
    return &context_.refuse(
        400, "BadRequest",
        "this is an UPDATE of " + title_of(object) + ", and what it replaces is " + title_of(*old));
  }
  a.operation = static_cast<portcullis::Operation>(asked.operation);
  a.kind = {arena().copy(r.group), arena().copy(r.version), object.kind};
  a.resource = {a.kind.group, a.kind.version, arena().copy(r.plural)};
  a.subresource = asked.subresource;
  if (const Decision* refused = refuse_unserved(r)) return refused;
  a.name = object.name;
  a.namespace_name = object.namespace_name;
  if (const Decision* refused = refuse_namespace(r)) return refused;
  a.options = request_options(a.operation, a.subresource, {.dry_run = asked.dry_run}, arena());
  a.dry_run = asked.dry_run;
  set_user(asked.user);
  const bool is_namespace = a.resource.group.empty() && a.resource.resource == "namespaces";
  if (is_namespace) a.namespace_name = a.name;  // as the API server: in itself, if it was sent with a name
  namespaced_ = r.namespaced;
  return nullptr;
}

const Decision* ContextReview::decode(const ManifestRequest& asked, const portcullis::Value& object,
                                      const portcullis::Value* old) {
  AdmissionRequest& a = context_.request;
  const bool gone = asked.operation == v1::Operation::Delete;
  const bool is_builtin = builtin::is_builtin(object) && (old == nullptr || builtin::is_builtin(*old));
  const Decision* refused = nullptr;
  if (!asked.as_is && is_builtin) {
    refused = normalize(object, old);
  } else {
    if (!gone) a.object = object;
    if (gone || old != nullptr) a.old_object = gone ? object : *old;
    if (!asked.as_is) refused = decode_by_definition();
  }
  if (refused == nullptr && gone) a.options = complete_deletion_options(a, arena());
  return refused;
}

// How to decode objects of built-in kinds: if something may mutate them, as mutating policies see them.
builtin::DecodeOptions ContextReview::options() {
  const AdmissionRequest& a = context_.request;
  builtin::DecodeOptions options;
  bool mutable_object = mutates_ && a.operation != portcullis::Operation::Delete;
  options.phase = mutable_object ? builtin::Phase::Mutating : builtin::Phase::Validating;
  options.name_space = namespaced_ ? a.namespace_name : std::string_view();
  options.sender = {a.user.username, a.user.uid, a.user.groups};
  options.around = &engine_.surrounding->around;
  options.warnings = &warnings_;
  options.subresource = a.subresource;
  if (managed_fields_) {
    options.manager = field_manager({}, a.operation);
    options.creator = field_manager({}, portcullis::Operation::Create);
  }
  return options;
}

// Puts the objects into the request as the API server decodes them. Returns the refusal, or null.
const Decision* ContextReview::normalize(const portcullis::Value& object, const portcullis::Value* old) {
  std::vector<builtin::UnknownField> unknown;
  builtin::DecodeOptions options = this->options();
  options.unknown = &unknown;
  const auto refusal = decode_objects(context_.request, object, old, options, arena());
  for (const builtin::UnknownField& f : unknown) context_.unknown_fields.push_back(arena().copy(f.path));
  if (refusal) return &context_.refuse(400, "BadRequest", refusal->text);
  incomplete_ = options.phase == builtin::Phase::Mutating;
  normalized_ = true;
  return nullptr;
}

const Decision* ContextReview::complete_builtin() {
  const auto refusal = complete_object(context_.request, options(), arena());
  return refusal ? &context_.refuse(400, "BadRequest", refusal->text) : nullptr;
}

const Decision* ContextReview::make(const Request& asked) {
  if (std::string_view why = malformed(asked); !why.empty()) return &context_.refuse(400, "BadRequest", why);
  AdmissionRequest& a = context_.request;
  a.operation = static_cast<portcullis::Operation>(asked.operation);
  a.kind = {asked.kind.group, asked.kind.version, asked.kind.kind};
  a.resource = {asked.resource.group, asked.resource.version, asked.resource.resource};
  a.subresource = asked.subresource;
  a.name = asked.name;
  a.namespace_name = asked.namespace_name;
  a.object = inner(asked.object);
  a.old_object = inner(asked.old_object);
  a.options = inner(asked.options);
  a.typed = asked.normalized;
  a.dry_run = asked.dry_run;
  set_user(asked.user);
  return nullptr;
}

Request ContextReview::asked() const {
  const AdmissionRequest& a = context_.request;
  Request out;
  out.operation = static_cast<v1::Operation>(a.operation);
  out.kind = {a.kind.group, a.kind.version, a.kind.kind};
  out.resource = {a.resource.group, a.resource.version, a.resource.resource};
  out.subresource = a.subresource;
  out.name = a.name;
  out.namespace_name = a.namespace_name;
  out.object = outer(a.object);
  out.old_object = outer(a.old_object);
  out.options = outer(a.options);
  out.normalized = a.typed;
  out.dry_run = a.dry_run;
  out.user.username = a.user.username;
  out.user.uid = a.user.uid;
  out.user.groups = a.user.groups;
  return out;
}

void ContextReview::set_user(const UserInfo& user) { context_.request.user = user_of(user, context_.extra); }

const Decision* ContextReview::decode_by_definition() {
  AdmissionRequest& a = context_.request;
  crd::FieldManagers managers{field_manager({}, a.operation),
                              field_manager({}, portcullis::Operation::Create),
                              managed_fields_ ? builtin::time_now(arena()) : std::string_view()};
  custom_ = rules_.definitions.decode(a, arena(), managed_fields_ ? &managers : nullptr);
  if (!custom_) {
    if (std::string text = rules_.definitions.deprecation(a); !text.empty())
      warnings_.push_back(std::move(text));
    return nullptr;
  }
  for (const std::string& path : custom_->unknown) context_.unknown_fields.push_back(arena().copy(path));
  if (custom_->decode_error.empty()) return nullptr;
  return &context_.refuse(400, "BadRequest", cannot_be_handled(a.kind, custom_->decode_error));
}

void ContextReview::prepare_for_webhooks() {
  const portcullis::Engine::Loaded& loaded = engine_.engine->loaded();
  const bool any = !loaded.mutating_webhooks.empty() || !loaded.validating_webhooks.empty();
  mutates_ |= !loaded.mutating_webhooks.empty();
  managed_fields_ |= any && context_.webhooks.target != nullptr;
}

// --- the decision ---

const Decision* ContextReview::choose_versions(std::string_view versions) {
  if (versions.empty()) return nullptr;
  // A built-in kind is converted here, so all of its policies decide together.
  if (!Resources::is_closed(context_.request.resource.group)) context_.review.versions = versions;
  return context_.review.versions.empty() && versions != kAnyVersion ? &context_.show() : nullptr;
}

void ContextReview::choose_authorizer() {
  if (context_.authorizer.target != nullptr) {
    context_.review.authorizer = &context_.authorizer;
  } else {
    context_.review.authorizer = &engine_.surrounding->rbac;
  }
}

const Decision* ContextReview::mutate() {
  if (!engine_.engine->has_mutations()) return nullptr;
  choose_authorizer();
  AdmissionRequest& a = context_.request;
  Mutation& mutation = context_.mutation;
  engine_.engine->mutate(a, context_.review, mutation);
  if (context_.review.interrupted) return &context_.refuse_interrupted();
  if (!mutation.allowed) return &context_.refuse_mutation();
  if (!mutation.changed) return nullptr;
  context_.before = a.object;
  a.object = mutation.object;
  mutated_ = true;
  return nullptr;
}

const Decision* ContextReview::complete() {
  if (preconditions_) {
    const portcullis::Value mutated = mutated_ ? context_.request.object : portcullis::Value();
    if (const auto conflict = find_version_conflict(context_.request, *preconditions_, mutated))
      return refuse(*conflict);
  }
  std::string_view refused;
  if (custom_ || incomplete_)
    refused = keep_namespace(context_.request, arena());
  else if (mutated_ && context_.request.served)
    refused = rules_.definitions.complete_served(context_.request, arena());
  if (!refused.empty()) return &context_.refuse(400, "BadRequest", refused);
  if (custom_) Definitions::complete(context_.request, *custom_, arena());
  if (custom_ && !custom_->errors.empty()) return refuse_by_definition();
  return incomplete_ ? complete_builtin() : nullptr;
}

const Decision& ContextReview::decide() {
  choose_authorizer();
  engine_.engine->review(context_.request, context_.review, context_.inner);
  return context_.review.interrupted ? context_.refuse_interrupted() : context_.show();
}

const Decision& ContextReview::answer(const Decision* refusal, Plugins plugins) {
  if (plugins == Plugins::MutatingNever) context_.review.reinvoked = false;
  if (plugins == Plugins::MutatingIfNeeded) context_.review.reinvoked = true;
  if (refusal == nullptr && plugins != Plugins::Validating) refusal = mutate();
  const bool validates = plugins == Plugins::All || plugins == Plugins::Validating;
  if (refusal == nullptr && validates) refusal = complete();
  if (refusal == nullptr && validates) refusal = ask_plugins();
  if (refusal == nullptr) refusal = validates ? &decide() : &context_.show();
  return warn(*refusal, rules_.sees_namespaces);
}

const Decision& ContextReview::answer_chain(const Decision* refusal) {
  if (refusal != nullptr) return warn(*refusal);
  choose_authorizer();
  if (context_.chain == nullptr) context_.chain = std::make_unique<chain::Admission>();
  chain::Admission& c = *context_.chain;
  AdmissionRequest& a = context_.request;
  context_.before = a.object;
  context_.webhooks.begin();
  const bool sees_namespaces = rules_.sees_namespaces || rules_.webhooks_see_namespaces;
  chain::mutate(*engine_.engine, a, context_.review, &context_.webhooks, c);
  if (context_.review.interrupted) return context_.refuse_interrupted();
  std::swap(context_.mutation, c.mutation);
  if (c.allowed) {
    a.object = c.object;
    mutated_ = c.changed;
    if (complete() != nullptr || ask_plugins() != nullptr) return warn(context_.add_chain(), sees_namespaces);
    chain::validate(*engine_.engine, a, context_.review, &context_.webhooks, c);
    if (context_.review.interrupted) return context_.refuse_interrupted();
  }
  return warn(context_.show_chain(), sees_namespaces);
}

const Decision* ContextReview::refuse(int code, std::string_view reason, std::string_view message,
                                      std::string json) {
  context_.status = std::move(json);
  context_.refuse(code, reason, message);
  context_.decision.status.json = context_.status;
  return &context_.decision;
}

const Decision* ContextReview::refuse_by_definition() {
  return refuse(422, "Invalid", custom_->refusal(), custom_->refusal_status());
}

const Decision* ContextReview::refuse(const ServerRefusal& r) {
  return refuse(r.code, r.reason, arena().copy(r.message), r.status);
}

const Decision* ContextReview::ask_plugins() {
  if (!normalized_) return nullptr;
  PluginAnswer answer =
      portcullis::ask_plugins(*engine_.engine, &engine_.surrounding->around, context_.request);
  if (!answer.warning.empty()) warnings_.push_back(std::move(answer.warning));
  return answer.refusal ? refuse(*answer.refusal) : nullptr;
}

bool ContextReview::assumes_namespace() const {
  const AdmissionRequest& a = context_.request;
  const bool written =
      a.operation == portcullis::Operation::Create || a.operation == portcullis::Operation::Update;
  const bool is_own = written && a.resource.resource == "namespaces" && a.subresource.empty();
  const portcullis::Engine::Loaded& loaded = engine_.engine->loaded();
  return loaded.assume_namespaces && !a.namespace_name.empty() && !is_own &&
         loaded.namespaces.find({{}, a.namespace_name}) == nullptr;
}

const Decision& ContextReview::warn(const Decision& decision, bool sees_namespaces) {
  if (sees_namespaces && !decision.refused) context_.decision.assumed_namespace = assumes_namespace();
  const std::vector<std::string>& own = custom_ ? custom_->warnings : warnings_;
  if (own.empty()) return decision;
  for (const std::string& w : own) context_.warnings.push_back(arena().copy(w));
  context_.warnings.insert(context_.warnings.end(), decision.warnings.begin(), decision.warnings.end());
  context_.decision.warnings = context_.warnings;
  return context_.decision;
}

}  // namespace portcullis::v1
