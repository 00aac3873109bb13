#include "admission/builtin/type_meta.h"

#include <fmt/format.h>

#include "admission/builtin/decode.h"
#include "admission/scalars/group_version.h"
#include "grammar/ascii.h"
#include "grammar/quote.h"

namespace portcullis::builtin {
namespace {

// Whether `key` is `name` for encoding/json, which folds case as Unicode does: two signs beyond ASCII fold to letters.
bool is_named(std::string_view key, std::string_view name) {
  constexpr std::string_view kLongS = "\u017f", kKelvin = "\u212a";
  for (char c : name) {
    const char lower = to_lower(c);
    if (!key.empty() && to_lower(key.front()) == lower) {
      key.remove_prefix(1);
    } else if (lower == 's' && key.starts_with(kLongS)) {
      key.remove_prefix(kLongS.size());
    } else if (lower == 'k' && key.starts_with(kKelvin)) {
      key.remove_prefix(kKelvin.size());
    } else {
      return false;
    }
  }
  return key.empty();
}

std::string unread(const Value& found, std::string_view into) {
  return "couldn't get version/kind; json parse error: json: cannot unmarshal " +
         std::string(json_word(found)) + " into Go " + std::string(into);
}

}  // namespace

TypeMeta read_type_meta(const Value& object) {
  constexpr std::string_view kInto =
      R"(value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";
  TypeMeta out;
  std::string_view api_version;
  if (object.is_null()) return out;
  if (!object.is(Kind::Map)) {
    out.error = unread(object, kInto);
    return out;
  }
  for (const MapEntry& e : object.as_map()) {
    bool version = is_named(e.key.as_text(), "apiVersion");
    if ((!version && !is_named(e.key.as_text(), "kind")) || e.value.is_null()) continue;
    if (e.value.is(Kind::String)) {
      (version ? api_version : out.kind) = e.value.as_text();
    } else if (out.error.empty()) {
      out.error = unread(
          e.value, version ? "struct field .apiVersion of type string" : "struct field .kind of type string");
    }
  }
  if (!out.error.empty()) return out;
  const auto [group, version, well_formed] = split_api_version(api_version);
  if (well_formed) {
    out.group = group;
    out.version = version;
  } else {
    out.error = malformed_api_version(api_version);
  }
  return out;
}

GroupVersionKind kind_with_defaults(const GroupVersionKind& said, const GroupVersionKind& known) {
  GroupVersionKind out = said;
  if (out.kind.empty()) out.kind = known.kind;
  if (out.version.empty() && out.group.empty()) out.group = known.group;
  if (out.version.empty() && out.group == known.group) out.version = known.version;
  return out;
}

std::string missing_member(std::string_view member, std::string_view text) {
  return "Object '" + std::string(member) + "' is missing in '" + std::string(text) + "'";
}

std::string not_registered(std::string_view kind, std::string_view api_version) {
  return "no kind " + quote(kind) + " is registered for version " + quote(api_version) + " in scheme " +
         std::string(kSchemeName);
}

std::string not_suitable(std::string_view version, std::string_view kind, std::string_view to) {
  return fmt::format("{}.{} is not suitable for converting to {} in scheme {}", version, kind, quote(to),
                     kSchemeName);
}

std::string unknown_conversion(std::string_view version, std::string_view kind, std::string_view to_version,
                               std::string_view to_kind) {
  return fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", version, kind, to_version, to_kind);
}

}  // namespace portcullis::builtin
