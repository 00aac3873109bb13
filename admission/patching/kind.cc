#include "admission/patching/kind.h"

#include <string>

#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/internal_version.h"
#include "admission/builtin/merging.h"
#include "admission/builtin/normalize.h"
#include "admission/builtin/type_meta.h"
#include "admission/patching/apply_configuration.h"
#include "admission/patching/decoded.h"
#include "admission/patching/json_patch.h"
#include "admission/patching/json_value.h"
#include "admission/patching/undeclared.h"
#include "admission/scalars/group_version.h"
#include "grammar/quote.h"
#include "interpreter/cel.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"

namespace portcullis::patching {
namespace {

// The most parts of values to visit: many times those of the largest object.
constexpr uint64_t kMostSteps = 20'000'000;

std::string_view joined_version(Arena& arena, std::string_view group, std::string_view version) {
  return group.empty() ? version : joined(arena, {group, "/", version});
}

// The row's kind, if it is of this version ("apps/v1"); else empty.
std::string_view kind_at(const builtin::KindRow& row, std::string_view api_version) {
  bool same = row.kind.starts_with(api_version) && row.kind.substr(api_version.size()).starts_with(' ');
  return same ? row.kind.substr(api_version.size() + 1) : std::string_view();
}

Patched not_found(Arena& arena, const KindSchema& kind) {
  return unavailable(
      arena, refused(arena, {"Resource kind ", kind_text(kind.group, kind.version, kind.kind),
                             " not found. There can be a delay between when CustomResourceDefinitions "
                             "are created and when they are available."})
                 .error);
}

GroupVersionKind own_kind(const KindSchema& kind) { return {kind.group, kind.version, kind.kind}; }

// The kind of an object that has no struct, as apimachinery's Unstructured says it.
GroupVersionKind kind_of(const Value& object) {
  const auto [group, version, well_formed] = split_api_version(text_member(object, "apiVersion"));
  if (!well_formed) return {};
  return {group, version, text_member(object, "kind")};
}

// The defaults are those of the kind that the object now has.
Value with_defaults(Arena& arena, const KindSchema& kind, const Value& object) {
  if (kind.handling != Handling::Defaulted || !kind.fills_defaults) return object;
  const GroupVersionKind said = kind_of(object);
  if (said.group != kind.group || said.kind != kind.kind) return object;
  return kind.definition->with_defaults(arena, said.version, object);
}

bool is_of_kind(Arena& arena, const GroupVersionKind& kind, const Value& object) {
  return text_member(object, "apiVersion") == joined_version(arena, kind.group, kind.version) &&
         text_member(object, "kind") == kind.kind;
}

Value object_with_kind(Arena& arena, const GroupVersionKind& kind, const Value& object) {
  if (is_of_kind(arena, kind, object)) return object;
  std::string_view api_version = joined_version(arena, kind.group, kind.version);
  Value made = with_member(arena, object, "apiVersion", Value::string(api_version));
  return with_member(arena, made, "kind", Value::string(kind.kind));
}

// `object` with the apiVersion and kind of `kind`; null is an object without fields.
Value as_kind(Arena& arena, const GroupVersionKind& kind, const Value& object) {
  return object_with_kind(arena, kind, object.is_null() ? make_map(alloc_entries(arena, 0), 0) : object);
}

// The struct of a kind; null if there is none.
const builtin::StructRow* row_of(Arena& arena, const KindSchema& kind, const GroupVersionKind& now) {
  if (now == own_kind(kind)) return kind.row;
  return builtin::find_kind(joined_version(arena, now.group, now.version), now.kind);
}

// The struct of an object of a Decoded kind. A patch may have given it another kind of the same version.
const builtin::StructRow& row_of(Arena& arena, const KindSchema& kind, const Value& object) {
  const builtin::StructRow* row =
      row_of(arena, kind, builtin::kind_with_defaults(kind_of(object), own_kind(kind)));
  return row == nullptr ? *kind.row : *row;
}

// Decodes into the struct of the kind, or of the kind that the object now has. That may be another one of the same
// version until the object is written back. `current`: what was patched.
Patched decode_patched(Arena& arena, const KindSchema& kind, const GroupVersionKind& said,
                       const Value& object, const Current& current) {
  const GroupVersionKind now = builtin::kind_with_defaults(said, own_kind(kind));
  const builtin::StructRow* row = row_of(arena, kind, now);
  if (row == nullptr)
    return internal_error(arena,
                          builtin::not_registered(now.kind, joined_version(arena, now.group, now.version)));
  const bool same = row == &row_of(arena, kind, current.object);
  Patched decoded = decoded_strictly(arena, *row, as_kind(arena, now, object),
                                     same && current.complete ? Parts::MarkedAreComplete : Parts::Any);
  if (!decoded.ok() || (now.group == kind.group && now.version == kind.version)) return decoded;
  const std::string_view to = joined_version(arena, kind.group, kind.version);
  if (now.group != kind.group) return refused(arena, {builtin::not_suitable(now.version, now.kind, to)});
  if (builtin::find_kind(to, now.kind) == nullptr)
    return refused(arena, {builtin::not_registered(now.kind, to)});
  return refused(arena, {builtin::unknown_conversion(now.version, now.kind, kind.version, now.kind)});
}

Patched unsuitable(Arena& arena, const GroupVersionKind& said, std::string_view to) {
  return refused(arena, {kind_text(said.group, said.version, said.kind),
                         " is unstructured and is not suitable for converting to ", quote(to)});
}

Patched unconvertible(Arena& arena, const KindSchema& kind, const Value& object) {
  const GroupVersionKind said = kind_of(object);
  const std::string_view to = joined_version(arena, kind.group, kind.version);
  if (said.group != kind.group) return unsuitable(arena, said, to);
  return refused(arena, {"request to convert CR to an invalid group/version: ", to});
}

Patched without_kind(Arena& arena, const Value& object) {
  return internal_error(arena, builtin::missing_member("Kind", to_json(object, JsonEscape::Go)));
}

// Expressions can make values that share parts repeatedly, whose text would be endless.
template <class Mutate>
Patched bounded(Arena& arena, Mutate mutate) {
  Arena::Bounds bounds(arena, Limits().max_memory, kMostSteps);
  try {
    return mutate();
  } catch (const std::bad_alloc&) {
    return {.error = "mutation exceeds its bounds of memory or steps"};
  }
}

}  // namespace

KindSchema builtin_kind(std::string_view group, std::string_view version, std::string_view kind, bool typed) {
  KindSchema out{.group = group, .version = version, .kind = kind};
  std::string api_version = std::string(group) + (group.empty() ? "" : "/") + std::string(version);
  bool served = false, published = false;
  for (const builtin::KindRow& row : builtin::all_kinds()) {
    std::string_view name = kind_at(row, api_version);
    if (name.empty() || !builtin::is_published(row)) continue;
    served = true;
    published = published || name == kind;
  }
  // Versions that are gone have structs to convert from, and no schema.
  if (!served) return out;
  out.row = builtin::find_kind(api_version, kind);
  out.handling = typed && out.row != nullptr ? Handling::Decoded : Handling::Plain;
  if (out.row != nullptr) out.type = &builtin::merge_type(*out.row);
  out.published = published;
  return out;
}

KindSchema custom_kind(const crd::Definition& definition, std::string_view version) {
  KindSchema out{.group = definition.group, .version = version, .kind = definition.kind};
  if (!definition.serves(version)) return out;
  out.handling = Handling::Defaulted;
  out.type = definition.merge_type(version);
  out.published = out.type != nullptr;
  out.definition = &definition;
  return out;
}

bool has_defaults(Arena& arena, const KindSchema& kind, const Value& object) {
  return kind.handling != Handling::Defaulted || same_data(with_defaults(arena, kind, object), object);
}

bool declares_all(const KindSchema& kind, const Value& object) {
  if (kind.handling != Handling::Defaulted) return true;
  const ownership::MergeType* type = kind.definition->merge_type(kind_of(object).version);
  return type == nullptr || !has_undeclared(object, *type);
}

namespace {

Patched json_patched(Arena& arena, const KindSchema& kind, const Current& current, const Value& operations) {
  const Value& object = current.object;  // of a Decoded kind: holds no nil lists
  bool plain = kind.handling != Handling::Decoded;
  Patched patched = apply_json_patch(arena, plain ? with_written_lists(arena, object) : object, operations);
  if (!patched.ok()) return patched;
  if (patched.skipped) {
    patched.object = with_defaults(arena, kind, object);
    return patched;
  }
  const builtin::TypeMeta said = kind_in_patched(arena, patched.object);
  if (!said.error.empty()) return internal_error(arena, said.error);
  if (!plain) {
    Patched decoded = decode_patched(arena, kind, said, patched.object, current);
    if (decoded.ok()) return decoded;
    // Errors come in the order of the text that is decoded: fields that no operation touched in that of their struct,
    // not in that of the request.
    builtin::Decoded as_struct = builtin::decode(arena, row_of(arena, kind, object), object, {});
    Value written = as_struct.error.empty() ? builtin::encode(arena, *as_struct.object) : object;
    return decode_patched(arena, kind, said,
                          apply_json_patch(arena, written, operations, MemberOrder::Written).object,
                          {.object = object});
  }
  if (text_member(patched.object, "kind").empty()) return without_kind(arena, patched.object);
  if (kind.handling == Handling::Unconvertible) return unconvertible(arena, kind, patched.object);
  patched.object = with_defaults(arena, kind, read_back(arena, patched.object));
  return patched;
}

Patched configured(Arena& arena, const KindSchema& kind, const Current& current, const Value& literal,
                   MergeTrace* trace) {
  const bool decoded = kind.handling == Handling::Decoded,
             unconverted = kind.handling == Handling::Unconvertible;
  // An object whose kind a patch has changed has another schema.
  const bool is_own = is_of_kind(arena, own_kind(kind), current.object);
  const builtin::StructRow* row = decoded ? &row_of(arena, kind, current.object) : nullptr;
  const ownership::MergeType* type = kind.published && is_own ? kind.type : nullptr;
  if (decoded && !is_own) type = &builtin::merge_type(*row);
  if (kind.is_older && type != nullptr) type = &with_undeclared(arena, *type);
  Patched patched = apply_configuration(arena, current.object, literal, type, decoded || unconverted, trace);
  if (!patched.ok()) return patched;
  if (unconverted) return unconvertible(arena, kind, patched.object);
  if (decoded)
    return decoded_loosely(arena, *row, patched.object,
                           current.complete ? Parts::MarkedAreComplete : Parts::Any);
  patched.object = with_defaults(arena, kind, patched.object);
  return patched;
}

}  // namespace

Patched mutate_by_json_patch(Arena& arena, const KindSchema& kind, const Current& current,
                             const Value& operations) {
  if (kind.handling == Handling::Unknown) return not_found(arena, kind);
  return bounded(arena, [&] { return json_patched(arena, kind, current, operations); });
}

Patched mutate_by_configuration(Arena& arena, const KindSchema& kind, const Current& current,
                                const Value& literal, MergeTrace* trace) {
  if (kind.handling == Handling::Unknown) return not_found(arena, kind);
  return bounded(arena, [&] { return configured(arena, kind, current, literal, trace); });
}

namespace {

WebhookPatched patched_by_webhook(Arena& arena, const KindSchema& kind, const Value& current,
                                  std::span<const JsonOperation> operations) {
  // The webhook was sent the object of a plain kind with null for a nil list, and so it is patched.
  const bool plain = kind.handling != Handling::Decoded;
  Patched made = apply_operations(arena, plain ? with_written_lists(arena, current) : current, operations);
  if (!made.ok()) return {internal_error(arena, made.error)};
  const builtin::TypeMeta said = kind_in_patched(arena, made.object);
  if (!said.error.empty()) return {internal_error(arena, said.error)};
  if (plain) {
    if (text_member(made.object, "kind").empty()) return {without_kind(arena, made.object)};
    Value object = read_back(arena, made.object);
    return {{.object = with_defaults(arena, kind, object)}, !same_data(current, object)};
  }
  const GroupVersionKind now = builtin::kind_with_defaults(said, own_kind(kind));
  const bool same = now == own_kind(kind);
  std::string_view api_version = joined_version(arena, now.group, now.version);
  const builtin::StructRow* row = same ? kind.row : builtin::find_kind(api_version, now.kind);
  if (row == nullptr) return {internal_error(arena, builtin::not_registered(now.kind, api_version))};
  Patched decoded = decoded_leniently(arena, *row, made.object);
  if (!decoded.ok()) return {decoded};
  return {{.object = completed(arena, *row, decoded.object)}, !same_data(current, decoded.object)};
}

}  // namespace

WebhookPatched patch_of_webhook(Arena& arena, const KindSchema& kind, const Value& current,
                                std::span<const JsonOperation> operations) {
  WebhookPatched out;
  out.patched = bounded(arena, [&] {
    out = patched_by_webhook(arena, kind, current, operations);
    return out.patched;
  });
  return out;
}

namespace {

// As the converter of custom resources, which looks at the version and leaves the kind to validation. Source of
// behaviour: apiextensions-apiserver pkg/apiserver/conversion/converter.go.
Patched custom_written_back(Arena& arena, const KindSchema& kind, const Value& object) {
  const GroupVersionKind said = kind_of(object);
  const std::string_view to = joined_version(arena, kind.group, kind.version);
  if (said.group != kind.group) return unsuitable(arena, said, to);
  const std::string_view from = joined_version(arena, said.group, said.version);
  if (kind.definition->merge_type(said.version) == nullptr)
    return refused(arena, {"request to convert CR from an invalid group/version: ", from});
  return {.object = from == to ? object : with_member(arena, object, "apiVersion", Value::string(to))};
}

}  // namespace

Patched with_own_kind(Arena& arena, const KindSchema& kind, const Value& object) {
  if (kind.handling != Handling::Decoded) return {.object = object};
  const GroupVersionKind now = builtin::kind_with_defaults(kind_of(object), own_kind(kind));
  if (now == own_kind(kind)) return {.object = object_with_kind(arena, now, object)};
  if (now.kind == kind.kind)
    return {.object = builtin::convert_to(arena, object, kind.group, kind.version, kind.kind)};
  // The internal type: both groups of events share that of core.
  const std::string_view package = kind.kind == "Event" ? "core" : builtin::group_of(*kind.row);
  return refused(arena, {builtin::unknown_conversion(now.version, now.kind, package, kind.kind)});
}

bool keeps_former(const KindSchema& kind) {
  return kind.handling == Handling::Decoded && builtin::keeps_of_internal(*kind.row);
}

Value over_former(Arena& arena, const KindSchema& kind, const Value& object, const Value& former) {
  return over_former(arena, *kind.row, object, former);
}

Patched written_back(Arena& arena, const KindSchema& kind, const Value& object) {
  if (kind.handling == Handling::Decoded) {
    const Patched own = with_own_kind(arena, kind, object);
    return own.ok() ? through_internal(arena, *kind.row, own.object) : own;
  }
  if (kind.handling == Handling::Defaulted) return custom_written_back(arena, kind, object);
  return {.object = object_with_kind(arena, own_kind(kind), object)};
}

}  // namespace portcullis::patching
