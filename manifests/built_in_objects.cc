// See built_in_objects.h.
#include "manifests/built_in_objects.h"

#include "interpreter/values/member.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

// Names the request as its object, whose name the API server may have generated.
void name_by(const Value& object, AdmissionRequest& a) {
  const Value* metadata = find_member(object, "metadata");
  if (metadata != nullptr && a.subresource.empty()) a.name = text_member(*metadata, "name");
}

Undecodable refuse(const AdmissionRequest& a, const builtin::Normalized& made) {
  return {false, cannot_be_handled(a, made.error), made.error, made.error_path};
}

}  // namespace

std::optional<Undecodable> decode_objects(AdmissionRequest& a, const Value& object, const Value* old,
                                          const builtin::DecodeOptions& options, Arena& arena) {
  const bool deletes = a.operation == Operation::Delete;
  builtin::Normalized made, stored;
  if (old != nullptr) {
    builtin::NormalizedUpdate both = builtin::normalize_update(arena, object, *old, options);
    made = std::move(both.object);
    stored = std::move(both.stored);
  } else {
    made =
        deletes ? builtin::stored_object(arena, object, options) : builtin::normalize(arena, object, options);
  }
  if (!made.error.empty()) return refuse(a, made);
  if (!stored.error.empty())
    return Undecodable{true, "the former state does not decode: " + stored.error, stored.error,
                       stored.error_path};
  if (options.phase == builtin::Phase::Mutating && a.operation == Operation::Create &&
      a.subresource.empty()) {
    builtin::DecodeOptions again = options;
    again.unknown = nullptr;
    again.warnings = nullptr;
    a.plugins = arena.make<builtin::DecodeOptions>(again);
  }
  a.typed = true;
  a.object = deletes ? Value() : made.object;
  a.old_object = deletes ? made.object : stored.object;
  name_by(made.object, a);
  return std::nullopt;
}

std::optional<Undecodable> complete_object(AdmissionRequest& a, const builtin::DecodeOptions& options,
                                           Arena& arena) {
  const Value* stored = a.operation == Operation::Update ? &a.old_object : nullptr;
  const builtin::Normalized made = builtin::complete(arena, a.object, stored, options);
  if (!made.error.empty()) return refuse(a, made);
  a.object = made.object;
  if (a.name.empty()) name_by(a.object, a);
  return std::nullopt;
}

}  // namespace portcullis
