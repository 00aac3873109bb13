// See request.h.
#include "cli/requests/request.h"

#include <algorithm>
#include <utility>

#include "admission/authorization/authorizer.h"
#include "admission/builtin/normalize.h"
#include "admission/policies/object_metadata.h"
#include "cli/cluster/cluster.h"
#include "cli/messages/messages.h"
#include "cli/reading/unquoted.h"
#include "cli/requests/remarks.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/equal.h"
#include "manifests/admission_review.h"
#include "manifests/built_in_objects.h"
#include "manifests/deletion.h"
#include "manifests/impersonation.h"
#include "manifests/kind_words.h"
#include "manifests/kubectl.h"
#include "manifests/namespaces.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

// A refusal at a field of the object.
Refusal field_refusal(const InputObject& o, std::string_view field, std::string text,
                      std::string status = {}) {
  return {o.file, o.locate(field), std::move(text), {}, std::move(status)};
}

// The refusal of an object that does not decode as its kind.
Refusal undecodable(const InputObject& o, const Undecodable& refused) {
  Refusal refusal = field_refusal(o, refused.field, refused.text, bad_request(refused.text));
  refusal.hint = unquoted_hint(o, refused.field, refused.why);
  if (!refused.text.ends_with(refused.why))
    refusal.hint = refused.why + (refusal.hint.empty() ? "" : "; ") + refusal.hint;
  return refusal;
}

// Name and namespace of an object must be strings, even if the rest is not decoded.
std::optional<Refusal> refuse_metadata(const InputObject& o, const GroupVersionKind& kind, Arena& arena) {
  const Value* metadata = find_member(o.value, "metadata");
  if (metadata == nullptr || metadata->is_null()) return std::nullopt;
  const auto names = [&](std::string_view field) {
    const Value* v = find_member(*metadata, field);
    return v == nullptr || v->is_null() || v->is(Kind::String);
  };
  if (metadata->is(Kind::Map) && names("name") && names("namespace")) return std::nullopt;
  const builtin::Decoded decoded = decode_metadata(arena, *metadata);
  const std::string field = decoded.error_path.empty() ? "metadata" : child("metadata", decoded.error_path);
  return undecodable(o, {false, cannot_be_handled(kind, decoded.error), decoded.error, field});
}

bool is_namespace(const GroupVersionResource& resource) {
  return resource.group.empty() && resource.resource == "namespaces";
}

}  // namespace

RequestMaker::RequestMaker(const RequestSettings& settings, const Resources& resources, Arena& arena)
    : settings_(settings),
      resources_(resources),
      arena_(&arena),
      user_(command_line_user(settings.user, settings.groups, arena)) {}

namespace {

std::string identity_of(std::string_view group, std::string_view kind, std::string_view name_space,
                        std::string_view name) {
  std::string key(group);
  for (std::string_view part : {kind, name_space, name}) key.append("\n").append(part);
  return key;
}

}  // namespace

std::string identity_of(const InputObject& o) {
  return identity_of(o.group(), o.kind, o.namespace_name, o.name);
}

void RequestMaker::set_former(std::span<const InputObject> objects) {
  for (const InputObject& o : objects) {
    if (!o.name.empty()) former_[identity_of(o)].push_back(&o);
  }
}

void add_surroundings(builtin::Surroundings& to, const std::vector<InputObject>& objects, Arena& arena) {
  for (const InputObject& o : objects) to.add(arena, o.value, o.namespace_name);
}

void RequestMaker::add(const InputObject& object) {
  Request r{{}, &object};
  r.refusal = role_of(object) == Role::Review ? fill_review(object, r) : fill_manifest(object, r);
  const AdmissionRequest& a = r.attributes;
  bool inside = !r.refusal && !a.namespace_name.empty() && !is_namespace(a.resource);
  if (inside) namespaces_.insert(a.namespace_name);
  if (!r.refusal && !a.typed && role_of(object) != Role::Review)
    r.refusal = refuse_metadata(object, a.kind, *arena_);
  requests_.push_back(std::move(r));
}

const Routes& RequestMaker::routes() {
  if (!routes_) routes_.emplace(resources_, settings_.subresource);
  return *routes_;
}

std::optional<Refusal> RequestMaker::fill_manifest(const InputObject& o, Request& r) {
  AdmissionRequest& a = r.attributes;
  const auto* former = find_former(identity_of(o));
  Resource resource = resources_.find(o.api_version, o.kind);
  a.kind = {arena_->copy(resource.group), arena_->copy(resource.version), o.kind};
  a.resource = {a.kind.group, a.kind.version, arena_->copy(resource.plural)};
  a.subresource = settings_.subresource;
  a.name = o.name;
  a.namespace_name = o.namespace_name;
  a.operation = settings_.operation.value_or(Operation::Create);
  bool body = is_body(resource);
  if (!body && !may_exist(resource)) return refuse_kind(o, resource);
  Route route = routes().find(resource);
  if (!route.error.empty()) {
    Refusal refusal = field_refusal(o, "kind", route.error);
    refusal.hint = route.hint;
    return refusal;
  }
  const InputObject* old = settings_.same_old ? &o : nullptr;
  const auto* scaled = find_scaled(o, route);
  if (scaled != nullptr) former = scaled;
  if (former != nullptr) {
    if (auto refusal = choose_former(*former, old)) return refusal;
  }
  if (auto refusal = address(o, resource, route, old, a)) return refusal;
  if (!body) note_kind(o, resource);
  note_route(o, route);
  if (scaled == nullptr) note_scale(o, route);
  r.namespaced = route.served.namespaced;
  if (old != nullptr) {
    r.preconditions = preconditions_of(o.value, old->value);
    r.replaces_written = is_written(*old);
  }
  auto refusal = fill_objects(o, old, r);
  if (!refusal && r.attributes.operation == Operation::Delete)
    r.attributes.options = complete_deletion_options(r.attributes, *arena_);
  return refusal;
}

// The former states of an object; null if there is none. One whose name the server makes is new.
const std::vector<const InputObject*>* RequestMaker::find_former(const std::string& identity) {
  const auto former = former_.find(identity);
  if (former == former_.end()) return nullptr;
  replaced_.insert(former->second.begin(), former->second.end());
  return &former->second;
}

// The former states of the resource that a Scale scales; null if there is none.
const std::vector<const InputObject*>* RequestMaker::find_scaled(const InputObject& o, const Route& route) {
  const Served& to = route.served;
  if (route.assumed || to.subresource != "scale") return nullptr;
  return find_former(
      identity_of(to.group, to.kind, to.namespaced ? o.namespace_name : std::string_view(), o.name));
}

// Sets `out` to the former state, of which there must be only one.
std::optional<Refusal> RequestMaker::choose_former(const std::vector<const InputObject*>& all,
                                                   const InputObject*& out) const {
  out = all.front();
  for (const InputObject* other : all) {
    if (equals(other->value, out->value, *arena_)) continue;
    Refusal refusal = field_refusal(*other, "",
                                    "this is a second former state of " + std::string(out->kind) + " " +
                                        quote_json(out->name) + ", and differs from the first one");
    refusal.hint = "the first one is at " + place_text(out->file->name, out->locate(""));
    return refusal;
  }
  return std::nullopt;
}

// Sets everything but the objects: the resource and the operation.
std::optional<Refusal> RequestMaker::address(const InputObject& o, const Resource& resource,
                                             const Route& route, const InputObject* old,
                                             AdmissionRequest& a) {
  const Served& to = route.served;
  a.resource = {arena_->copy(to.group), arena_->copy(to.version), arena_->copy(to.resource)};
  a.subresource = arena_->copy(to.subresource);
  if (!to.namespaced) a.namespace_name = {};
  if (is_namespace(a.resource))
    a.namespace_name = o.name;  // as the API server: in itself, if it was sent with a name
  std::optional<Operation> only;
  for (Operation one : kAllOperations) {
    if (to.operations == operation_bit(one)) only = one;
  }
  auto refused = [&](std::string_view field, std::string text, std::string hint) {
    Refusal refusal = field_refusal(o, field, std::move(text));
    refusal.hint = std::move(hint);
    return refusal;
  };
  std::string name = name_of(to, !to.built_in);
  if (to.operations == 0) return refused("kind", name + " is only read, and admission sees no reads", {});
  a.operation =
      settings_.operation.value_or(only.value_or(old != nullptr ? Operation::Update : Operation::Create));
  if ((to.operations & operation_bit(a.operation)) == 0) {
    return refused("kind",
                   name + " takes " + operation_names(to.operations) + ", not " +
                       std::string(operation_name(a.operation)),
                   to.subresource.empty() ? routes().others_taking(a.operation, to) : "");
  }
  if (!to.subresource.empty() && o.name.empty()) {
    return refused("metadata", "metadata.name is missing: it names whose subresource this is", {});
  }
  if (a.operation == Operation::Update && old == nullptr) {
    return refused("",
                   "this " + std::string(resource.kind) + " is an UPDATE, and what it replaces is not given",
                   std::string(settings_.former_hint));
  }
  bool connects = a.operation == Operation::Connect;
  if (!connects) {
    const ClientOptions given{settings_.field_manager, settings_.dry_run, settings_.grace_period,
                              settings_.propagation};
    a.options = request_options(a.operation, a.subresource, given, *arena_);
  }
  a.dry_run = settings_.dry_run && !connects;
  a.user = user_;
  return std::nullopt;
}

namespace {
// kubectl sends no new object with a resourceVersion, say of a dump. Source of behaviour: cli-runtime pkg/resource/helper.go.
Value without_version(const Value& object, Arena& arena) {
  const Value* metadata = find_member(object, "metadata", Kind::Map);
  if (metadata == nullptr || find_member(*metadata, "resourceVersion") == nullptr) return object;
  return with_member(arena, object, "metadata", without_member(arena, *metadata, "resourceVersion"));
}
}  // namespace

std::optional<Refusal> RequestMaker::fill_objects(const InputObject& o, const InputObject* old, Request& r) {
  AdmissionRequest& a = r.attributes;
  InputObject body = o, before = old != nullptr ? *old : o;
  bool connects = a.operation == Operation::Connect;
  if (!a.subresource.empty()) {  // the resource has the scope, not the kind
    for (InputObject* one : {&body, &before}) settle(*one, r.namespaced, o.namespace_name, *arena_);
    // Its metadata only names the parent: options have no metadata.
    if (connects) body.value = without_member(*arena_, body.value, "metadata");
  }
  if (a.operation == Operation::Create && a.subresource.empty() && !settings_.as_is)
    body.value = without_version(body.value, *arena_);
  remark_large_body(body.value, r);
  bool built_in = builtin::is_builtin(body.value) && builtin::is_builtin(before.value);
  if (!settings_.as_is && !built_in && a.subresource == "scale" && builtin::is_builtin(body.value)) {
    auto refusal = normalize(body, &body, r);  // its former state follows from the resource: see Definitions
    a.old_object = before.value;
    return refusal;
  }
  if (!settings_.as_is && built_in) return normalize(body, old == nullptr ? nullptr : &before, r);
  if (a.operation != Operation::Delete) a.object = body.value;
  if (a.operation == Operation::Update || a.operation == Operation::Delete) a.old_object = before.value;
  return std::nullopt;
}

builtin::DecodeOptions RequestMaker::options_for(const Request& r) const {
  const AdmissionRequest& a = r.attributes;
  builtin::DecodeOptions options;
  bool written = a.operation == Operation::Create || a.operation == Operation::Update;
  options.phase = a.operation == Operation::Connect ? builtin::Phase::Decoded
                  : settings_.mutates && written    ? builtin::Phase::Mutating
                                                    : builtin::Phase::Validating;
  options.name_space = r.namespaced ? a.namespace_name : std::string_view();
  options.sender = {user_.username, user_.uid, user_.groups};
  options.around = around_.get();
  options.subresource = a.subresource;
  if (settings_.managed_fields && a.operation != Operation::Connect) {
    options.manager = field_manager(settings_.field_manager, a.operation);
    options.creator = field_manager(settings_.field_manager, Operation::Create);
  }
  return options;
}

std::optional<Refusal> RequestMaker::normalize(const InputObject& o, const InputObject* old, Request& r) {
  AdmissionRequest& a = r.attributes;
  const InputObject& former = old != nullptr ? *old : o;
  std::vector<builtin::UnknownField> unknown;
  builtin::DecodeOptions options = options_for(r);
  options.unknown = &unknown;
  options.warnings = &r.warnings;
  const InputObject& decided = a.operation == Operation::Delete ? former : o;
  const Value* replaced = a.operation == Operation::Update ? &former.value : nullptr;
  const auto refusal = decode_objects(a, decided.value, replaced, options, *arena_);
  remark_unknown_fields(o, unknown, r.remarks);
  if (refusal && refusal->former) return field_refusal(former, refusal->field, refusal->text);
  if (refusal) return undecodable(o, *refusal);
  r.incomplete = options.phase == builtin::Phase::Mutating;
  const Value& made = a.operation == Operation::Delete ? a.old_object : a.object;
  remark_audiences(o, made, r);
  if (!r.incomplete) remark_invalid(made, r);
  return std::nullopt;
}

void RequestMaker::complete(Request& r) {
  if (!std::exchange(r.incomplete, false)) return;
  builtin::DecodeOptions options = options_for(r);
  options.warnings = &r.warnings;
  if (const auto refusal = complete_object(r.attributes, options, *arena_)) {
    r.refusal = undecodable(*r.object, *refusal);
    return;
  }
  remark_invalid(r.attributes.object, r);
}

Value RequestMaker::served(const Request& r, const Value& manifest, Arena& arena) const {
  const AdmissionRequest& a = r.attributes;
  bool written = a.operation == Operation::Create || a.operation == Operation::Update;
  if (!a.typed || !a.subresource.empty() || !written || !builtin::is_builtin(manifest)) return {};
  builtin::DecodeOptions options = options_for(r);
  if (a.operation == Operation::Create) return builtin::normalize(arena, manifest, options).object;
  return builtin::normalize_update(arena, manifest, a.old_object, options).object.object;
}

void say_decoding_error(const InputObject& o, const builtin::Normalized& refused) {
  std::string text = "the API server refuses this object before any policy sees it: " + refused.error;
  say(Severity::Error, o.file->name, o.locate(refused.error_path), text, o.file->text,
      unquoted_hint(o, refused.error_path, refused.error));
}

void say_refusal(const Refusal& r) {
  say(Severity::Error, r.file->name, r.position, r.text, r.file->text, r.hint);
}

// Whether the kind cannot be created, but subresources take it.
bool RequestMaker::is_body(const Resource& r) const {
  return !settings_.subresource.empty() && !r.exists() && !subresource_taking(r, resources_).empty();
}

bool RequestMaker::may_exist(const Resource& r) const {
  if (settings_.only_known_kinds) return r.availability == Availability::Served;
  // An object that is not decoded may have a version that some server had; a note says so.
  return r.exists() || (settings_.as_is && r.availability == Availability::Gone);
}

Refusal RequestMaker::refuse_kind(const InputObject& o, const Resource& r) const {
  Refusal refusal = field_refusal(
      o, r.exists() || r.availability == Availability::Absent ? "kind" : "apiVersion", no_match(r));
  refusal.hint = kind_hint(r, resources_);
  if (refusal.hint.empty() && r.availability == Availability::Guessed)
    refusal.hint = "no CustomResourceDefinition among the files has it";
  return refusal;
}

std::optional<Refusal> RequestMaker::fill_review(const InputObject& o, Request& r) {
  auto refused = read_admission_review(o.value, o.api_version, *arena_, r.attributes, r.uid);
  std::string status = refused ? bad_request(refused->text) : std::string();
  if (!refused && settings_.only_known_kinds) {
    if (auto unknown = unknown_kind(r.attributes, resources_))
      refused = ReviewRefusal{"request.kind", no_match(*unknown), kind_hint(*unknown, resources_)};
  }
  if (!refused) {
    look_at_recorded(o, r);
    return std::nullopt;
  }
  Refusal refusal = field_refusal(o, refused->field, refused->text, std::move(status));
  refusal.hint = refused->hint;
  return refusal;
}

}  // namespace portcullis
