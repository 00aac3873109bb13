#include "admission/builtin/normalize.h"

#include "admission/builtin/access.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/default_rows.h"
#include "admission/builtin/defaults.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/internal_version.h"
#include "admission/builtin/registry.h"
#include "admission/builtin/scales.h"
#include "admission/builtin/system_metadata.h"
#include "admission/objects/request.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/member.h"

namespace portcullis::builtin {
namespace {

std::string_view text_of(const Value& object, std::string_view name) {
  uint32_t first = 0;
  const Value* found = object.is(Kind::Map) ? find_text_key(object, Value::string(name), first) : nullptr;
  return found != nullptr && found->is(Kind::String) ? found->as_text() : std::string_view();
}

}  // namespace

const StructRow* struct_of(const Value& object) {
  return find_kind(text_of(object, "apiVersion"), text_of(object, "kind"));
}
const StructRow* protocol_struct_of(const Value& object) {
  return is_protocol_kind(text_of(object, "apiVersion"), text_of(object, "kind")) ? struct_of(object)
                                                                                  : nullptr;
}
bool is_builtin(const Value& object) { return struct_of(object) != nullptr; }

Normalized normalize(Arena& arena, const Value& object, const DecodeOptions& options) {
  return normalize(arena, *struct_of(object), object, options);
}

namespace {

// Decodes, defaults and converts `object`. Unchanged structs are passed through if they may stand, unless members are
// repeated.
Decoded read_object(Arena& arena, const StructRow& row, const Value& object, const DecodeOptions& options,
                    std::string_view now, bool defaults = true, bool may_stand = true) {
  DecodeOptions passing = options;
  passing.may_stand = may_stand && !options.repeated;
  Decoded decoded = decode(arena, row, object, passing);
  if (!decoded.error.empty()) return decoded;
  if (defaults) apply_defaults(arena, *decoded.object, now);
  decoded.error = pass_through_internal(arena, *decoded.object);
  return decoded;
}

Filling filling_of(Arena& arena, std::string_view now, const DecodeOptions& options) {
  return {arena,
          now,
          options.name_space,
          options.sender,
          options.around,
          options.manager,
          options.subresource,
          options.warnings};
}

}  // namespace

Normalized normalize(Arena& arena, const StructRow& row, const Value& object, const DecodeOptions& options) {
  bool filled = options.phase != Phase::Decoded;
  std::string_view now = options.now.empty() && filled ? time_now(arena) : options.now;
  Decoded decoded = read_object(arena, row, object, options, now);
  if (!decoded.error.empty()) return {Value::null(), std::move(decoded.error), std::move(decoded.error_path)};
  Filling filling = filling_of(arena, now, options);
  if (filled) fill_before_mutation(filling, *decoded.object);
  if (options.phase == Phase::Validating) fill_before_validation(filling, *decoded.object);
  return {encode(arena, *decoded.object), {}, {}};
}

namespace {

// Storage keeps no empty lists and maps, so they are read as absent ones.
void forget_empty(Object& o) {
  const std::span<const FieldRow> fields = fields_of(*o.row);
  for (size_t i = 0; i < fields.size(); ++i) {
    Value& slot = o.slots[i];
    const bool several = fields[i].shape != kOne;
    if (several && (slot.is(Kind::List) || slot.is(Kind::Map)) && slot.size() == 0) {
      slot = absent();
    } else if (is_object(slot)) {
      forget_empty(as_object(slot));
    } else if (several && fields[i].scalar == kStruct && slot.is(Kind::List)) {
      for (const Value& item : slot.as_list()) {
        if (is_object(item)) forget_empty(as_object(item));
      }
    } else if (several && fields[i].scalar == kStruct && slot.is(Kind::Map)) {
      for (const MapEntry& e : slot.as_map()) {
        if (is_object(e.value)) forget_empty(as_object(e.value));
      }
    }
  }
}

// The object as an API server reads it from its store. One without a uid is created first; a status that it has is
// kept, since whoever gives one means it.
Decoded read_stored(Arena& arena, const Value& stored, const DecodeOptions& options, std::string_view now) {
  DecodeOptions quiet = options;
  quiet.unknown = nullptr;
  Decoded old = read_object(arena, *struct_of(stored), stored, quiet, now, true, false);
  if (!old.error.empty()) return old;
  if (text(*old.object, "metadata.uid").empty()) {
    Filling creating = filling_of(arena, now, options);
    creating.manager = options.creator.empty() ? options.manager : options.creator;
    creating.subresource = {};
    creating.warnings = nullptr;
    const Value* status = find_member(stored, "status", Kind::Map);
    const Value* slot = find(*old.object, "status");
    const Value given = slot != nullptr && status != nullptr && status->size() != 0 ? *slot : absent();
    fill_before_mutation(creating, *old.object);
    fill_before_validation(creating, *old.object);
    if (!is_absent(given)) set(*old.object, "status", given);
  }
  forget_empty(*old.object);
  apply_defaults(arena, *old.object, now);
  return old;
}

}  // namespace

Normalized stored_object(Arena& arena, const Value& object, const DecodeOptions& options) {
  std::string_view now = options.now.empty() ? time_now(arena) : options.now;
  Decoded stored = read_stored(arena, object, options, now);
  if (!stored.error.empty()) return {Value::null(), std::move(stored.error), std::move(stored.error_path)};
  return {encode(arena, *stored.object), {}, {}};
}

namespace {

// Whether client-go has an informer of the kind. The API server watches all others as plain data.
bool has_typed_informer(const Value& object) {
  const std::string_view group = split_api_version(text_of(object, "apiVersion")).group;
  return is_builtin(object) && group != kDefinitionGroup && group != "apiregistration.k8s.io";
}

Value created(Arena& arena, const Value& object, const Value& metadata, std::string_view now) {
  if (is_builtin(object)) {
    DecodeOptions options;
    options.now = now;
    options.name_space = text_of(metadata, "namespace");
    const Normalized stored = stored_object(arena, object, options);
    if (stored.error.empty()) return stored.object;
  }
  const Value whole = with_system_fields(arena, without_system_fields(arena, metadata), now);
  return with_member(arena, object, "metadata", whole);
}

}  // namespace

Value held_by_informer(Arena& arena, const Value& object, std::string_view now) {
  const Value metadata = member(object, "metadata");
  if (!metadata.is(Kind::Map)) return object;
  const Value held = text_of(metadata, "uid").empty() ? created(arena, object, metadata, now) : object;
  if (!has_typed_informer(object)) return held;
  return with_member(arena, held, "metadata",
                     without_member(arena, member(held, "metadata"), "managedFields"));
}

NormalizedUpdate normalize_update(Arena& arena, const Value& object, const Value& stored,
                                  const DecodeOptions& options) {
  std::string_view now = options.now.empty() ? time_now(arena) : options.now;
  DecodeOptions quiet = options;
  quiet.unknown = nullptr;
  Decoded old = read_stored(arena, stored, options, now),
          made = read_object(arena, *struct_of(object), object, options, now);
  NormalizedUpdate out;
  out.object = {Value::null(), made.error, made.error_path};
  out.stored = {Value::null(), old.error, old.error_path};
  if (!made.error.empty() || !old.error.empty()) return out;
  Filling filling = filling_of(arena, now, options);
  if (is_scale(*made.object->row)) {
    old.object = shown_as_scale(arena, *old.object);
    if (text(*old.object, "metadata.uid").empty()) {
      set(*old.object, "metadata.uid", Value::string(kUid));
      set(*old.object, "metadata.creationTimestamp", Value::string(now));
    }
  }
  if (old.object->row != made.object->row && text_of(stored, "kind") == text_of(object, "kind")) {
    const GroupVersion to = split_api_version(text_of(object, "apiVersion"));
    const Value converted =
        convert_to(arena, encode(arena, *old.object), to.group, to.version, text_of(object, "kind"));
    old = read_object(arena, *made.object->row, converted, quiet, now, false);
    out.stored.error = old.error;
    if (!old.error.empty()) return out;
  }
  if (old.object->row == made.object->row) {
    fill_update_before_mutation(filling, *made.object, *old.object);
    if (options.phase != Phase::Mutating) fill_update_before_validation(filling, *made.object, *old.object);
  }
  out.object.object = encode(arena, *made.object);
  out.stored.object = encode(arena, *old.object);
  return out;
}

Normalized complete(Arena& arena, const Value& object, const Value* stored, const DecodeOptions& options) {
  std::string_view now = options.now.empty() ? time_now(arena) : options.now;
  DecodeOptions quiet = options;
  quiet.unknown = nullptr;
  Decoded made = read_object(arena, *struct_of(object), object, quiet, now, false);
  if (!made.error.empty()) return {Value::null(), std::move(made.error), std::move(made.error_path)};
  Filling filling = filling_of(arena, now, options);
  filling.manager = {};  // managedFields are made before mutation
  if (stored == nullptr) {
    fill_before_validation(filling, *made.object);
  } else if (struct_of(*stored) == made.object->row) {
    Decoded old = read_object(arena, *made.object->row, *stored, quiet, now, false);
    if (!old.error.empty()) return {Value::null(), std::move(old.error), std::move(old.error_path)};
    fill_update_before_validation(filling, *made.object, *old.object);
  }
  return {encode(arena, *made.object), {}, {}};
}

Value admit_again(Arena& arena, const Value& object, const DecodeOptions& options) {
  const StructRow* row = struct_of(object);
  if (row == nullptr || !has_plugins(*row)) return object;
  const std::string_view now = options.now.empty() ? time_now(arena) : options.now;
  Decoded made = read_object(arena, *row, object, options, now, false);
  if (!made.error.empty()) return object;
  run_plugins(filling_of(arena, now, options), *made.object);
  return encode(arena, *made.object);
}

Normalized param_object(Arena& arena, const Value& object) {
  Decoded decoded = decode(arena, *struct_of(object), object, {});
  if (!decoded.error.empty()) return {Value::null(), std::move(decoded.error), std::move(decoded.error_path)};
  return {encode_plain(arena, *decoded.object), {}, {}};
}
Normalized informer_object(Arena& arena, const Value& object) {
  Decoded decoded = decode(arena, *struct_of(object), object, {});
  if (!decoded.error.empty()) return {Value::null(), std::move(decoded.error), std::move(decoded.error_path)};
  Value held = encode(arena, *decoded.object);
  MapEntry* entries = alloc_entries(arena, held.size());
  size_t count = 0;
  for (const MapEntry& e : held.as_map()) {
    if (e.key.as_text() != "apiVersion" && e.key.as_text() != "kind") new (&entries[count++]) MapEntry(e);
  }
  return {as_struct(make_map(entries, count), *decoded.object->row), {}, {}};
}

Value convert_to(Arena& arena, const Value& object, std::string_view group, std::string_view version,
                 std::string_view kind) {
  if (!object.is(Kind::Map)) return object;
  TextBuilder api_version(arena);
  for (std::string_view part : {group, group.empty() ? std::string_view() : std::string_view("/"), version})
    api_version.append(part);
  const StructRow* from = struct_of(object);
  const StructRow* to = find_kind(api_version.view(), kind);
  Value source = from == nullptr || to == nullptr ? object : to_common(arena, *from, object);
  Value target =
      with_member(arena, with_member(arena, source, "apiVersion", Value::string(api_version.view())), "kind",
                  Value::string(arena.copy(kind)));
  if (from == nullptr || to == nullptr) return target;
  target = from_common(arena, *to, target);
  Decoded decoded = decode(arena, *to, target, {});
  pass_through_internal(arena, *decoded.object);
  return encode(arena, *decoded.object);
}

}  // namespace portcullis::builtin
