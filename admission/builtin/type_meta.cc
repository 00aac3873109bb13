#include "admission/builtin/type_meta.h"

#include <algorithm>

#include "admission/builtin/decode.h"
#include "grammar/quote.h"
#include "interpreter/values/map.h"

namespace portcullis::builtin {
namespace {

bool same_fold(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

}  // namespace

TypeMeta read_type_meta(const Value& object) {
  constexpr std::string_view kInto =
      R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";
  const std::string unread = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  TypeMeta out;
  if (object.is_null()) return out;
  if (!object.is(Kind::Map)) {
    out.error = unread + std::string(json_word(object)) + " into Go value of type " + std::string(kInto);
    return out;
  }
  for (const MapEntry& e : object.as_map()) {
    bool version = same_fold(e.key.as_text(), "apiVersion");
    if ((!version && !same_fold(e.key.as_text(), "kind")) || e.value.is_null()) continue;
    if (e.value.is(Kind::String)) {
      (version ? out.api_version : out.kind) = e.value.as_text();
    } else if (out.error.empty()) {
      out.error = unread + std::string(json_word(e.value)) + " into Go struct field ." +
                  (version ? "apiVersion" : "kind") + " of type string";
    }
  }
  return out;
}

std::string not_registered(std::string_view kind, std::string_view api_version) {
  return "no kind " + quote(kind) + " is registered for version " + quote(api_version) + " in scheme " +
         std::string(kSchemeName);
}

}  // namespace portcullis::builtin
