// What the API server says of a definition: the reports on all its parts, with their paths.
#include <algorithm>
#include <span>

#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/normalize.h"
#include "admission/crd/version.h"
#include "interpreter/values/list_types.h"

namespace portcullis::crd {
namespace {

// A definition without lists and maps that have no content.
Value decoded_plainly(Arena& arena, const Value& definition) {
  const builtin::StructRow* row = builtin::struct_of(definition);
  return row == nullptr ? definition
                        : builtin::encode(arena, *builtin::decode(arena, *row, definition, {}).object);
}

bool has_default(const Schema& s) {
  auto has = [](const SchemaPtr& part) { return part != nullptr && has_default(*part); };
  return s.fallback || has(s.items) || has(s.additional) || has(s.negated) ||
         std::ranges::any_of(s.all_of, has) || std::ranges::any_of(s.any_of, has) ||
         std::ranges::any_of(s.one_of, has) ||
         std::ranges::any_of(s.properties, [&](const auto& property) { return has(property.second); });
}

constexpr const char* kInvalid = "Invalid value: \"\": ";

// The path that the API server gives a schema of all versions.
constexpr std::string_view kShared = "spec.validation.openAPIV3Schema";

// Replaces the path of such a schema where a text names it.
void name_shared(std::string& text, std::string_view path) {
  for (size_t at = 0; (at = text.find(path, at)) != text.npos; at += kShared.size())
    text.replace(at, path.size(), kShared);
}

}  // namespace

// Whether all versions have the same schema. Source of behaviour: apiextensions/v1/conversion.go, which moves such a
// schema to spec.validation.
bool Definition::is_shared() const {
  return std::ranges::all_of(versions_, [&](const Version& v) {
    return v.data != nullptr && versions_[0].data != nullptr && same_data(*v.data, *versions_[0].data);
  });
}

std::vector<RuleReport> Definition::report(const Definition* old) const {
  if (decode_error_) return {*decode_error_};
  std::vector<RuleReport> out;
  report_spec(data_, old == nullptr ? nullptr : &old->data_, out);
  const Value* spec = member_of(data_, "spec");
  const Value* preserves = spec == nullptr ? nullptr : member_of(*spec, "preserveUnknownFields");
  const bool defaults = std::ranges::any_of(versions_, [](const Version& v) {
    const SchemaPtr& schema = v.schema != nullptr ? v.schema : v.refused;
    return schema != nullptr && has_default(*schema);
  });
  if (preserves != nullptr && preserves->is_true() && defaults) {
    out.push_back({.path = "spec.preserveUnknownFields",
                   .error = "Invalid value: true: must be false in order to use defaults in the schema"});
    out.back().server_path = out.back().path;
  }
  const bool shared = is_shared();
  for (const Version& v : versions_) {
    const size_t before = out.size();
    if (v.refused != nullptr) report_refused(*v.refused, v.path, out);
    if (!v.schema_error.empty() && out.size() == before)
      out.push_back({.path = v.path, .error = (v.refused == nullptr ? "" : kInvalid) + v.schema_error});
    if (v.schema != nullptr) {
      report_schema(v.schema, v.path, out, memo_);
      report_warnings(v.schema, v.path, out);
    }
    for (RuleReport& made : std::span(out).subspan(before)) {
      made.server_path = made.path;
      if (!shared) continue;
      made.server_path.replace(0, v.path.size(), kShared);
      name_shared(made.error, v.path);
    }
    if (shared) break;
  }
  return out;
}

std::vector<RuleReport> Definition::check_update(const Definition& old) const {
  std::vector<RuleReport> out = report(&old);
  if (decodes_) {
    Arena arena;  // what is not given and what has no content are the same here
    report_update(decoded_plainly(arena, data_), decoded_plainly(arena, old.data_), old.check(), out);
  }
  return out;
}

}  // namespace portcullis::crd
