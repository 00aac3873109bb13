// See definitions.h.
#include "manifests/definitions.h"

#include <algorithm>

#include "admission/builtin/conversion.h"
#include "admission/builtin/normalize.h"
#include "admission/engine/converted.h"
#include "admission/patching/json_value.h"
#include "admission/scalars/group_version.h"
#include "interpreter/cel.h"
#include "interpreter/values/member.h"
#include "manifests/kubectl.h"
#include "manifests/namespaces.h"
#include "manifests/resources.h"
#include "manifests/roles.h"
#include "manifests/status.h"

namespace portcullis {

std::string document_path(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    bool name = path[i] == '[' && i + 1 < path.size() && (path[i + 1] < '0' || path[i + 1] > '9');
    if (!name) {
      out += path[i];
      continue;
    }
    size_t end = std::min(path.find(']', i), path.size());
    const std::string_view key = path.substr(i + 1, end - i - 1);
    key.find('.') == key.npos ? out.append(".").append(key) : out.append(path.substr(i, end + 1 - i));
    i = end;
  }
  return out;
}

const std::vector<crd::RuleReport>& GivenDefinition::reports() const {
  std::call_once(known->made, [&] { known->reports = definition->check(); });
  return known->reports;
}

const crd::RuleReport* GivenDefinition::first_error() const {
  auto error = std::ranges::find_if(reports(), [](const crd::RuleReport& r) { return !r.error.empty(); });
  return error == reports().end() ? nullptr : &*error;
}

std::string GivenDefinition::refusal() const {
  const crd::RuleReport* error = first_error();
  return error == nullptr ? std::string() : error->message();
}

GivenDefinition::DroppedFields GivenDefinition::dropped_fields() const {
  DroppedFields out;
  const builtin::StructRow* row = builtin::struct_of(object->value);
  if (row == nullptr) return out;
  Arena arena;
  builtin::decode(arena, *row, object->value, {.unknown = &out.reported, .unseen = &out.unseen});
  return out;
}

bool is_established(const Value& object, const crd::Definition& definition) {
  return definition.has_schemas() && definition.decodes() &&
         std::ranges::any_of(list_at(object, "status.conditions"), [](const Value& c) {
           return c.is(Kind::Map) && text_member(c, "type") == "Established" &&
                  text_member(c, "status") == "True";
         });
}

void Definitions::add(const InputObject& object) {
  if (role_of(object) != Role::Definition) return;
  crd::RuleEnvironment environment = crd::stored_rules();
  environment.memo = object.rule_memo;
  auto read = crd::Definition::read(object.value, environment);
  const size_t number = all_.size();
  if (defines_kind(object.value)) {
    const auto [known, fresh] = by_resource_.try_emplace({read->group, read->plural}, number);
    if (!fresh) {
      GivenDefinition& before = all_[known->second];
      before.replaced = true;
      std::erase(by_kind_[{before.definition->group, before.definition->kind}], known->second);
      known->second = number;
    }
  }
  by_kind_[{read->group, read->kind}].push_back(number);
  const bool established = is_established(object.value, *read);
  all_.push_back({.object = &object, .definition = std::move(read), .established = established});
}

std::span<const size_t> Definitions::of_kind(std::string_view group, std::string_view kind) const {
  const auto found = by_kind_.find({group, kind});
  return found == by_kind_.end() ? std::span<const size_t>() : found->second;
}

std::vector<std::shared_ptr<const crd::Definition>> Definitions::shared() const {
  std::vector<std::shared_ptr<const crd::Definition>> out;
  for (const GivenDefinition& given : all_) {
    if (!given.replaced) out.push_back(given.definition);
  }
  return out;
}

std::optional<DefinedOutcome> Definitions::review(AdmissionRequest& request, Arena& arena,
                                                  const crd::FieldManagers* managers) const {
  std::optional<DefinedOutcome> outcome = decode(request, arena, managers);
  if (outcome) complete(request, *outcome, arena);
  return outcome;
}

namespace {

GroupVersionKind shown_kind_of(const DefinedOutcome& outcome) {
  return {outcome.by->definition->group, {}, text_member(outcome.object, "kind")};
}

std::string_view shown_name_of(const DefinedOutcome& outcome) {
  const Value* metadata = find_member(outcome.object, "metadata");
  return metadata == nullptr ? std::string_view() : text_member(*metadata, "name");
}

crd::Written written_by(const AdmissionRequest& request) {
  return request.subresource == "status" ? crd::Written::Status : crd::Written::Resource;
}

// The object that the request replaces; null if there is none.
const Value* old_of(const AdmissionRequest& request) {
  return request.old_object.is(Kind::Map) ? &request.old_object : nullptr;
}

}  // namespace

std::string DefinedOutcome::refusal() const {
  return invalid_message(shown_kind_of(*this), shown_name_of(*this), errors);
}
std::string DefinedOutcome::refusal_status() const {
  return invalid_status(shown_kind_of(*this), shown_name_of(*this), errors);
}

Value DefinedOutcome::answered(Arena& arena, const Value& object) const {
  if (by == nullptr || scale != nullptr) return object;
  return by->definition->read_back(arena, version, patching::with_written_lists(arena, object));
}

void Definitions::complete(AdmissionRequest& request, DefinedOutcome& outcome, Arena& arena,
                           crd::RuleTrace* trace) {
  if (!outcome.decode_error.empty()) return;
  Context context;
  const crd::Definition& definition = *outcome.by->definition;
  if (outcome.scale != nullptr) {
    const Value wanted = builtin::member(builtin::member(request.object, "spec"), "replicas");
    outcome.object =
        with_replicas(arena, outcome.old, *outcome.scale, wanted.is(Kind::Int) ? wanted.as_int() : 0);
  } else {
    outcome.object = request.object;
  }
  const crd::Written written = written_by(request);
  definition.complete(outcome.version, outcome, arena, written);
  definition.validate(outcome.version, outcome, arena, context, written, trace);
  request.object =
      outcome.scale != nullptr ? scale_of(arena, outcome.object, *outcome.scale) : outcome.object;
  if (const Value* metadata = find_member(request.object, "metadata");
      metadata != nullptr && request.name.empty())
    request.name = text_member(*metadata, "name");  // which may be generated
}

namespace {

// The outcome if the old object of `request` has another version than `own`, to which only a webhook could convert it.
std::optional<DefinedOutcome> unconverted_old(const AdmissionRequest& request, const GroupVersionKind& own,
                                              const GivenDefinition& given, Arena& arena) {
  const Value& old = request.old_object;
  if (!old.is(Kind::Map) || !given.definition->by_webhook) return std::nullopt;
  const GroupVersion stored = split_api_version(text_member(old, "apiVersion"));
  if (stored.version == own.version) return std::nullopt;
  DefinedOutcome outcome{{.object = request.object, .old = old}, &given, std::string(own.version)};
  outcome.decode_error =
      not_converted({stored.group, stored.version, own.kind}, Conversion::ByWebhook, arena);
  return outcome;
}

// `version`: by which the client sent the request.
void warn_of_deprecation(DefinedOutcome& outcome, std::string_view version) {
  if (std::string text = outcome.by->definition->deprecation(version); !text.empty())
    outcome.warnings.insert(outcome.warnings.begin(), std::move(text));
}

// Whether it scales a custom resource, which is its old object.
bool scales(const AdmissionRequest& request) {
  return request.operation == Operation::Update && request.subresource == "scale" &&
         request.kind.group != request.resource.group && request.old_object.is(Kind::Map) &&
         split_api_version(text_member(request.old_object, "apiVersion")).group == request.resource.group;
}

}  // namespace

std::optional<DefinedOutcome> Definitions::decode_scale(AdmissionRequest& request, Arena& arena) const {
  const GroupVersionResource& resource = request.resource;
  for (const GivenDefinition& given : all_) {
    const crd::Definition* d = given.definition.get();
    if (given.replaced || d->group != resource.group || d->plural != resource.resource) continue;
    const crd::Scale* scale = d->scale(resource.version);
    if (scale == nullptr) continue;
    if (auto refused = unconverted_old(request, {resource.group, resource.version, d->kind}, given, arena))
      return refused;
    const Value stored = request.old_object;
    DefinedOutcome outcome{d->decode(resource.version, stored, &stored, arena), &given,
                           std::string(resource.version), scale};
    outcome.warnings.clear();  // nobody has sent the resource
    outcome.unknown.clear();
    outcome.object = outcome.old;
    warn_of_deprecation(outcome, resource.version);
    request.old_object = scale_of(arena, outcome.old, *scale);
    return outcome;
  }
  return std::nullopt;
}

std::optional<DefinedOutcome> Definitions::decode(AdmissionRequest& request, Arena& arena,
                                                  const crd::FieldManagers* managers) const {
  if (request.served) return std::nullopt;
  if (scales(request)) return decode_scale(request, arena);
  if (request.operation == Operation::Delete) return read_deleted(request, arena, managers);
  const GivenDefinition* given = find(request);
  if (given == nullptr) return std::nullopt;
  const GroupVersionKind& own = request.kind_of_objects();
  if (auto refused = unconverted_old(request, own, *given, arena)) return refused;
  const Value* old = old_of(request);
  const crd::Definition& d = *given->definition;
  DefinedOutcome outcome{d.decode(own.version, request.object, old, arena, managers, written_by(request)),
                         given, std::string(own.version)};
  warn_of_deprecation(outcome, request.kind.version);
  // A server makes the list itself, and drops what it cannot use of a given one.
  if (managers == nullptr) outcome.object = without_managed_fields(arena, outcome.object);
  request.object = outcome.object;
  if (old != nullptr) request.old_object = outcome.old;
  return outcome;
}

std::optional<DefinedOutcome> Definitions::read_deleted(AdmissionRequest& request, Arena& arena,
                                                        const crd::FieldManagers* managers) const {
  const Value given = request.old_object;
  if (!request.subresource.empty() || !given.is(Kind::Map)) return std::nullopt;
  for (size_t i : of_kind(request.kind.group, request.kind.kind)) {
    const crd::Definition& d = *all_[i].definition;
    if (!d.has_version(request.kind.version)) continue;
    DefinedOutcome read{d.decode(request.kind.version, given, &given, arena, managers), &all_[i],
                        std::string(request.kind.version)};
    if (!read.decode_error.empty()) return read;
    request.old_object = read.old;
    break;
  }
  return std::nullopt;
}

std::string Definitions::deprecation(const AdmissionRequest& request) const {
  if (request.served) return {};
  for (size_t i : of_kind(request.kind.group, request.kind.kind)) {
    if (std::string text = all_[i].definition->deprecation(request.kind.version); !text.empty()) return text;
  }
  return {};
}

std::string_view Definitions::complete_served(AdmissionRequest& request, Arena& arena) const {
  const GivenDefinition* given = find(request);
  if (given == nullptr) return {};
  request.object = given->definition->with_kept_parts(arena, request.kind_of_objects().version,
                                                      request.object, old_of(request), written_by(request));
  return keep_namespace(request, arena);
}

const GivenDefinition* Definitions::find(const AdmissionRequest& request) const {
  const bool written = request.operation == Operation::Create || request.operation == Operation::Update;
  const bool whole = request.subresource.empty() || written_by(request) == crd::Written::Status;
  if (!written || !whole || !request.object.is(Kind::Map)) return nullptr;
  const GroupVersionKind& own = request.kind_of_objects();
  for (size_t i : of_kind(own.group, own.kind)) {
    if (all_[i].definition->has_version(own.version)) return &all_[i];
  }
  return nullptr;
}

const GivenDefinition* Definitions::find_refused(const InputObject& object, bool established) const {
  const auto [group, version, well_formed] = split_api_version(object.api_version);
  for (size_t i : of_kind(group, object.kind)) {
    const GivenDefinition& given = all_[i];
    if (given.established == established && given.first_error() != nullptr) return &given;
  }
  return nullptr;
}

std::string Definitions::refusal(const InputObject& object) const {
  const GivenDefinition* found = refused(object);
  return found == nullptr ? std::string() : found->refusal();
}

std::optional<DefinedOutcome> Definitions::stored(const InputObject& object, Arena& arena) const {
  AdmissionRequest request;
  const auto [group, version, well_formed] = split_api_version(object.api_version);
  request.kind = {group, version, object.kind};
  request.operation = Operation::Create;
  request.object = object.value;
  if (!refusal(object).empty()) return std::nullopt;  // no server stores a definition that it refuses
  std::optional<DefinedOutcome> outcome = review(request, arena);
  if (!outcome || !outcome->decode_error.empty()) return outcome;
  // A create drops the status where status is a subresource; the old object of an update keeps it.
  request.operation = Operation::Update;
  request.object = request.old_object = object.value;
  review(request, arena);
  outcome->object = request.old_object;
  return outcome;
}

}  // namespace portcullis
