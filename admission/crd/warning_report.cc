// The API server's warnings about the schema of a definition. Source of behaviour: apiextensions-apiserver
// pkg/registry/customresourcedefinition/strategy.go, pkg/apiserver/validation/formats.go. Tested by tests/cli/crd.txt.
#include <fmt/format.h>

#include "admission/crd/definition.h"
#include "admission/crd/formats.h"
#include "grammar/quote.h"

namespace portcullis::crd {
namespace {

// Whether the API server looks at this format of values of this type.
bool is_recognized(std::string_view type, std::string_view format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  return (type.empty() || type == "string") && format_since(format).has_value();
}

void warn_of(const Schema& s, const std::string& path, std::vector<RuleReport>& out) {
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
}

}  // namespace

void report_warnings(const SchemaPtr& schema, const std::string& path, std::vector<RuleReport>& out) {
  for_each_schema(schema, path, [&](const Schema& s, const std::string& at) { warn_of(s, at, out); });
}

}  // namespace portcullis::crd
