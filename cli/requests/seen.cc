// See seen.h.
#include "cli/requests/seen.h"

#include "admission/builtin/normalize.h"
#include "admission/builtin/time.h"
#include "admission/scalars/group_version.h"
#include "cli/messages/messages.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reading/unquoted.h"
#include "cli/requests/request.h"
#include "manifests/kind_words.h"
#include "manifests/namespaces.h"

namespace portcullis {
namespace {

void refuse_field(const InputObject& o, std::string_view field, std::string_view why) {
  say(Severity::Error, o.file->name, o.locate(field),
      "the API server refuses this object before any policy sees it: " + std::string(why), o.file->text,
      unquoted_hint(o, field, why));
}

void note_unknown_kind(const InputObject& o) {
  say(Severity::Note, o.file->name, o.locate("kind"),
      std::string(o.api_version) + " " + std::string(o.kind) + " is not a built-in kind and stays unchanged");
}

}  // namespace

void SeenObjects::learn(std::vector<InputObject>& objects) {
  for (const InputObject& o : objects) {
    if (role_of(o) == Role::Definition && !resources_.add_definition(o.value)) {
      say(Severity::Warning, o.file->name, o.locate(""),
          "this CustomResourceDefinition has no group, names or scope and is not used", o.file->text);
    }
  }
  customs_.add(objects);
  settle(objects, *arena_);
  for (const InputObject& o : objects) around_.add(*arena_, o.value, o.namespace_name);
}

bool SeenObjects::learns_from(const InputObject& o) {
  return role_of(o) == Role::Definition || builtin::Surroundings::reads(o.value);
}

void SeenObjects::settle(std::vector<InputObject>& objects, Arena& arena) const {
  portcullis::settle(objects, resources_, settings_.namespace_name, arena);
}

bool SeenObjects::can_exist(const InputObject& o) const {
  Resource r = resources_.find(o.api_version, o.kind);
  if (r.exists() || role_of(o) == Role::Review || !subresource_taking(r, resources_).empty()) return true;
  say(Severity::Error, o.file->name, o.locate(r.availability == Availability::Gone ? "apiVersion" : "kind"),
      no_match(r), o.file->text, kind_hint(r, resources_));
  return false;
}

builtin::DecodeOptions SeenObjects::options_for(const InputObject& o, Operation operation,
                                                std::vector<builtin::UnknownField>& unknown) const {
  builtin::DecodeOptions options;
  options.phase = builtin::Phase::Validating;
  options.unknown = &unknown;
  options.around = &around_;
  options.sender.groups = administrator().groups;
  options.name_space = o.namespace_name;
  if (settings_.managed_fields) {
    options.manager = field_manager(settings_.field_manager, operation);
    options.creator = field_manager(settings_.field_manager, Operation::Create);
  }
  return options;
}

std::optional<Value> SeenObjects::created(const InputObject& o) {
  if (!can_exist(o)) return std::nullopt;
  if (!builtin::is_builtin(o.value)) return custom(o);
  std::vector<builtin::UnknownField> unknown;
  builtin::Normalized made = builtin::normalize(*arena_, o.value, options_for(o, Operation::Create, unknown));
  say_unknown_fields(o, unknown);
  if (!made.error.empty()) return say_decoding_error(o, made), std::nullopt;
  return made.object;
}

std::optional<Value> SeenObjects::custom(const InputObject& o) {
  AdmissionRequest request;
  const auto [group, version, well_formed] = split_api_version(o.api_version);
  request.kind = {group, version, o.kind};
  request.operation = Operation::Create;
  request.object = o.value;
  crd::FieldManagers managers{field_manager(settings_.field_manager, Operation::Create),
                              field_manager(settings_.field_manager, Operation::Create),
                              builtin::time_now(*arena_)};
  auto outcome = customs_.review(request, *arena_, settings_.managed_fields ? &managers : nullptr);
  if (!outcome) return note_unknown_kind(o), o.value;
  say_unknown_fields(o, outcome->unfitting);
  if (!outcome->decode_error.empty())
    return refuse_field(o, outcome->decode_error_path, outcome->decode_error), std::nullopt;
  for (const FieldError& e : outcome->errors) refuse_field(o, e.field, e.message);
  if (!outcome->errors.empty()) return std::nullopt;
  return request.object;
}

std::optional<std::pair<Value, Value>> SeenObjects::updated(const InputObject& o, const InputObject& old) {
  if (!can_exist(o) || !can_exist(old)) return std::nullopt;
  if (!builtin::is_builtin(o.value) || !builtin::is_builtin(old.value)) {
    std::optional<Value> object = created(o), stored = created(old);
    if (!object || !stored) return std::nullopt;
    return std::pair(*object, *stored);
  }
  std::vector<builtin::UnknownField> unknown;
  builtin::NormalizedUpdate both =
      builtin::normalize_update(*arena_, o.value, old.value, options_for(o, Operation::Update, unknown));
  say_unknown_fields(o, unknown);
  if (!both.object.error.empty()) say_decoding_error(o, both.object);
  if (!both.stored.error.empty()) say_decoding_error(old, both.stored);
  if (!both.object.error.empty() || !both.stored.error.empty()) return std::nullopt;
  return std::pair(both.object.object, both.stored.object);
}

std::optional<Value> SeenObjects::param(const InputObject& o) {
  if (!can_exist(o)) return std::nullopt;
  if (!builtin::is_builtin(o.value)) return custom(o);
  std::vector<builtin::UnknownField> unknown;
  builtin::DecodeOptions options;
  options.unknown = &unknown;
  builtin::normalize(*arena_, o.value, options);
  say_unknown_fields(o, unknown);
  builtin::Normalized made =
      builtin::param_object(*arena_, builtin::held_by_informer(*arena_, o.value, builtin::time_now(*arena_)));
  if (!made.error.empty()) return say_decoding_error(o, made), std::nullopt;
  return made.object;
}

}  // namespace portcullis
