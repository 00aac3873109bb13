// See request.h.
#include "cli/requests/request.h"

#include <algorithm>
#include <set>
#include <utility>

#include "admission/authorization/authorizer.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/normalize.h"
#include "admission/expressions/environment.h"
#include "admission/policies/object_metadata.h"
#include "admission/policies/object_updates.h"
#include "cli/cluster/cluster.h"
#include "cli/messages/messages.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reading/unquoted.h"
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

// Says that the API server refuses the manifest of a request whatever policies say, and adds a remark.
void remark_refused(Request& r, std::string_view field, std::string text, std::string_view hint = {}) {
  const InputObject& o = *r.object;
  const Position at = o.locate(field);
  say(Severity::Warning, o.file->name, at,
      "whatever the verdict, the API server refuses this " + std::string(o.kind) + ": " + text, o.file->text,
      hint);
  r.remarks.push_back({Remark::About::Refused, at, std::move(text)});
}

// Says that kubectl sends more than an API server reads, before it looks at the kind.
void remark_large_body(const Value& sent, Request& r) {
  const Operation operation = r.attributes.operation;
  if (operation != Operation::Create && operation != Operation::Update) return;
  const size_t bytes = large_body(sent);
  if (bytes == 0) return;
  remark_refused(r, "", "Request entity too large: limit is " + std::to_string(kMaxRequestBody),
                 "kubectl sends it as " + std::to_string(bytes) + " bytes of JSON");
}

// Whether a person wrote the object: it has no uid, as what is read from a server has.
bool is_written(const InputObject& o) {
  const Value* metadata = find_member(o.value, "metadata");
  return metadata == nullptr || !metadata->is(Kind::Map) || text_member(*metadata, "uid").empty();
}

// Says what the API server's validation refuses in the metadata of an object of a built-in kind, and which fields an
// update may not change. It comes after mutation and before validation by policies, but is no part of the verdict.
void remark_invalid(const Value& object, Request& r) {
  const AdmissionRequest& a = r.attributes;
  const bool updated = a.operation == Operation::Update;
  if (!updated && (!a.subresource.empty() || a.operation != Operation::Create)) return;
  if (a.kind.group == "apiextensions.k8s.io" && a.kind.kind == "CustomResourceDefinition")
    return;                                                               // all of it is checked
  if (r.preconditions && find_uid_conflict(a, *r.preconditions)) return;  // that comes first
  FieldErrors errors;
  if (a.subresource.empty())
    check_built_in_metadata(a.kind, object, updated ? &a.old_object : nullptr, r.namespaced, errors);
  // Nobody knows since when an object is being deleted, if only what a person wrote of it is known.
  if (r.replaces_written && !is_written(*r.object))
    std::erase_if(errors.list, [](const FieldError& e) { return e.field.starts_with("metadata.deletion"); });
  if (updated)
    check_built_in_update(a.kind, object, a.old_object, {is_written(*r.object), r.replaces_written},
                          a.subresource, errors);
  std::set<std::string_view> said;
  for (const FieldError& e : errors.list) {
    if (said.insert(e.message).second) remark_refused(r, e.field, e.message);
  }
}

// Notes that the audiences of a TokenRequest are unknown.
void note_audiences(const InputObject& o, const Value& object, Request& r) {
  if (r.attributes.resource.resource != "serviceaccounts" || r.attributes.subresource != "token") return;
  const Value* spec = find_member(object, "spec");
  const Value* audiences = spec == nullptr ? nullptr : find_member(*spec, "audiences");
  if (audiences != nullptr && audiences->is(Kind::List) && audiences->size() != 0) return;
  const std::string text =
      "the API server gives a TokenRequest without audiences its own ones, "
      "which are not known here";
  r.remarks.push_back({Remark::About::Assumed, o.locate("spec.audiences"), text});
  say(Severity::Note, o.file->name, o.locate("spec.audiences"), text);
}

// A note about a field of the first object that shows `thing`.
void note_once(const InputObject& o, std::string_view field, std::string thing, std::string text) {
  say({.severity = Severity::Note,
       .file = o.file->name,
       .position = o.locate(field),
       .text = std::move(text),
       .hint = {},
       .source = {},
       .once = std::move(thing),
       .excerpt = {}});
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

// Whether it is the scale of a defined resource, whose definition decides what becomes of the resource.
bool is_defined_scale(const Route& route) {
  return !route.assumed && !route.served.built_in && route.served.subresource == "scale";
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
  for (Operation one : {Operation::Create, Operation::Update, Operation::Delete, Operation::Connect}) {
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
  return builtin::with_member(arena, object, "metadata",
                              builtin::without_member(arena, *metadata, "resourceVersion"));
}
}  // namespace

std::optional<Refusal> RequestMaker::fill_objects(const InputObject& o, const InputObject* old, Request& r) {
  AdmissionRequest& a = r.attributes;
  InputObject body = o, before = old != nullptr ? *old : o;
  bool connects = a.operation == Operation::Connect;
  if (!a.subresource.empty()) {  // the resource has the scope, not the kind
    for (InputObject* one : {&body, &before}) settle(*one, r.namespaced, o.namespace_name, *arena_);
    // Its metadata only names the parent: options have no metadata.
    if (connects) body.value = builtin::without_member(*arena_, body.value, "metadata");
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
  note_audiences(o, made, r);
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

void remark_version_of_new(Request& r) {
  const std::string_view why = refused_version(r.attributes);
  if (!why.empty()) remark_refused(r, "metadata.resourceVersion", std::string(why));
}

Value RequestMaker::served(const Request& r, const Value& manifest, Arena& arena) const {
  const AdmissionRequest& a = r.attributes;
  bool written = a.operation == Operation::Create || a.operation == Operation::Update;
  if (!a.typed || !a.subresource.empty() || !written || !builtin::is_builtin(manifest)) return {};
  builtin::DecodeOptions options = options_for(r);
  if (a.operation == Operation::Create) return builtin::normalize(arena, manifest, options).object;
  return builtin::normalize_update(arena, manifest, a.old_object, options).object.object;
}

void remark_unknown_fields(const InputObject& o, const std::vector<builtin::UnknownField>& fields,
                           std::vector<Remark>& remarks) {
  say_unknown_fields(o, fields);
  for (const builtin::UnknownField& f : fields)
    remarks.push_back({Remark::About::Refused, o.locate(f.path, true), unknown_field(f)});
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

// Prints a note once for each kind that is not certain to exist.
void RequestMaker::note_kind(const InputObject& o, const Resource& r) {
  if (r.availability == Availability::Served || !noted_.insert(kind_name(r)).second) return;
  std::string text, hint = kind_hint(r, resources_);
  if (!r.exists()) {
    text = no_match(r) + "; decided unchanged";
  } else if (r.availability == Availability::OffByDefault) {
    text = kind_name(r) + " is off by default; this cluster is assumed to serve it";
  } else {
    text = kind_name(r) + " is not a built-in kind and no CustomResourceDefinition is given; taken as " +
           (r.namespaced ? "namespaced" : "cluster-scoped") + " resource " + quote_json(r.plural);
  }
  if (!hint.empty() && r.availability != Availability::OffByDefault) text += "; " + hint;
  note_once(o, "kind", kind_name(r), text);
}

// Prints a note about a subresource that is only assumed to exist.
void RequestMaker::note_route(const InputObject& o, const Route& route) {
  std::string name = name_of(route.served, true);
  if (!route.assumed || !noted_.insert(name).second) return;
  note_once(o, "kind", name,
            "no definition has the subresources of " + name.substr(0, name.find('/')) + "; " + name +
                " is assumed to exist and to accept " + std::string(o.kind));
}

// Says of the scale of a custom resource that what becomes of the resource is not looked at.
void RequestMaker::note_scale(const InputObject& o, const Route& route) {
  if (!is_defined_scale(route)) return;
  const std::string name = name_of(route.served, true), resource = name.substr(0, name.find('/'));
  note_once(
      o, "kind", "definition of " + name,
      "the definition of " + resource +
          " is not asked whether this number of replicas fits; it is if --old gives the resource itself");
}

// The server that sent the request serves its kind, even if this release does not.
void RequestMaker::look_at_recorded(const InputObject& o, Request& request) {
  const AdmissionRequest& a = request.attributes;
  const std::string release = "Kubernetes 1." + std::to_string(KubernetesVersion::kLast);
  auto note = [&](std::string_view field, const std::string& what, const std::string& text,
                  const std::string& hint) {
    if (noted_.insert(what).second) note_once(o, field, what, text + (hint.empty() ? "" : "; " + hint));
  };
  auto not_served = [&](const std::string& what) {
    return what + " is not served by " + release + "; the server of this request did";
  };
  const Resource r = resources_.find(join_api_version(a.kind.group, a.kind.version), a.kind.kind);
  if (auto unknown = unknown_kind(a, resources_)) {
    const std::string_view field =
        unknown->version == a.kind_of_objects().version ? "request.kind" : "request.requestKind";
    const std::string name = kind_name(*unknown);
    const std::string text =
        "neither " + release + " nor a definition has " + name +
        "; it is assumed that the server of this request does, and decided as a custom resource";
    request.remarks.push_back({Remark::About::Assumed, o.locate(field), text});
    note(field, name, text, kind_hint(*unknown, resources_));
  } else if (r.availability == Availability::Gone && a.subresource.empty()) {
    note(a.sent ? "request.requestKind" : "request.kind", kind_name(r), not_served(kind_name(r)),
         kind_hint(r, resources_));
  }
  const std::string name_of_subresource = std::string(a.resource.resource) + "/" + std::string(a.subresource);
  if (!a.subresource.empty() && routes().lacks(a.resource, a.subresource))
    note("request.subResource", name_of_subresource, not_served(name_of_subresource), {});
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
