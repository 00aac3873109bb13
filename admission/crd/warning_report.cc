// The API server's warnings about the schema of a definition. Source of behaviour: apiextensions-apiserver
// pkg/registry/customresourcedefinition/strategy.go, pkg/apiserver/validation/formats.go. Tested by tests/cli/crd.txt.
#include <fmt/format.h>

#include "admission/crd/definition.h"
#include "admission/crd/formats.h"
#include "admission/objects/field_error.h"
#include "grammar/quote.h"

namespace portcullis::crd {
namespace {

// Whether the API server looks at this format of values of this type.
bool is_recognized(std::string_view type, std::string_view format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  return (type.empty() || type == "string") && is_known_format(format);
}

void warn_of(const SchemaPtr& schema, const std::string& path, std::vector<RuleReport>& out) {
  if (schema == nullptr) return;
  const Schema& s = *schema;
  const auto add = [&](std::string_view keyword, std::string text) {
    out.push_back({.path = child(path, keyword), .warning = std::move(text)});
  };
  if (!s.format.empty() && !is_recognized(s.type, s.format))
    add("format", "unrecognized format " + quote(s.format));
  if (s.list_type == "set" && s.items != nullptr && (s.items->type == "object" || s.items->type == "array"))
    add("x-kubernetes-list-type",
        fmt::format(
            "x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or "
            "CEL validation rules",
            quote(s.items->type)));
  warn_of(s.items, child(path, "items"), out);
  const auto each = [&](const std::vector<SchemaPtr>& list, std::string_view keyword) {
    for (size_t i = 0; i < list.size(); i++) warn_of(list[i], index(child(path, keyword), i), out);
  };
  each(s.all_of, "allOf");
  each(s.any_of, "anyOf");
  each(s.one_of, "oneOf");
  warn_of(s.negated, child(path, "not"), out);
  for (const auto& [name, property] : s.properties)
    warn_of(property, fmt::format("{}.properties[{}]", path, name), out);
  warn_of(s.additional, child(path, "additionalProperties"), out);
}

}  // namespace

void report_warnings(const SchemaPtr& schema, const std::string& path, std::vector<RuleReport>& out) {
  warn_of(schema, path, out);
}

}  // namespace portcullis::crd
