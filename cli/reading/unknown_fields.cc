// See unknown_fields.h.
#include "cli/reading/unknown_fields.h"

#include <algorithm>

#include "admission/builtin/normalize.h"
#include "admission/scalars/spelling.h"
#include "cli/messages/messages.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

const Value* member(const Value* v, std::string_view name) {
  return v == nullptr || !v->is(Kind::Map) ? nullptr : find_member(*v, name);
}

// The schema of a version in a definition; null if there is none.
const Value* schema_of(const Value& definition, std::string_view version) {
  for (const Value& v : list_at(definition, "spec.versions")) {
    if (v.is(Kind::Map) && text_member(v, "name") == version) return find_path(v, "schema.openAPIV3Schema");
  }
  return nullptr;
}

// Takes the first step from a path such as "list[0].x": "list", "[0]", "x".
std::string_view take_step(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  size_t end = path.starts_with('[') ? path.find(']') : path.find_first_of(".[");
  end = end == path.npos ? path.size() : end + (path.starts_with('[') ? 1 : 0);
  std::string_view step = path.substr(0, end);
  path.remove_prefix(end);
  return step;
}

// The schema that a step of a path leads to.
const Value* below(const Value* schema, std::string_view step) {
  const Value* elements = member(schema, "additionalProperties");
  if (step.starts_with('[')) {
    const Value* items = member(schema, "items");
    return items != nullptr ? items : elements;
  }
  const Value* property = member(member(schema, "properties"), step);
  return property != nullptr ? property : elements;
}

std::string suggestion(const Value* schema, std::string_view path) {
  std::vector<std::string> names;
  bool root = true;
  std::string_view step = take_step(path);
  for (; !path.empty(); step = take_step(path), root = false) schema = below(schema, step);
  if (root) names = {"apiVersion", "kind", "metadata"};
  if (const Value* properties = member(schema, "properties"); properties && properties->is(Kind::Map)) {
    for (const MapEntry& e : properties->as_map()) names.emplace_back(e.key.as_text());
  }
  return std::string(nearest(step, names));
}

// The unknown fields of metadata, which is the same for all kinds.
std::vector<builtin::UnknownField> unknown_in_metadata(const Value& object) {
  std::vector<builtin::UnknownField> out;
  const Value* metadata = member(&object, "metadata");
  if (metadata == nullptr) return out;
  Arena arena;
  Value any = with_member(arena, no_members(), "apiVersion", Value::string("v1"));
  any = with_member(arena, any, "kind", Value::string("ConfigMap"));
  builtin::DecodeOptions options;
  options.unknown = &out;
  builtin::normalize(arena, with_member(arena, any, "metadata", *metadata), options);
  return out;
}

}  // namespace

std::string unknown_field(const builtin::UnknownField& field) {
  return "unknown field " + quote_json(field.path);
}

std::string unknown_field_hint(const builtin::UnknownField& field) { return did_you_mean(field.suggestion); }

void say_unknown_fields(const InputObject& o, const std::vector<builtin::UnknownField>& fields) {
  for (const builtin::UnknownField& f : fields) {
    say(Severity::Warning, o.file->name, o.locate(f.path, true), unknown_field(f), o.file->text,
        unknown_field_hint(f));
  }
}

std::vector<builtin::UnknownField> with_suggestions(const std::vector<std::string>& paths,
                                                    const Value& definition, std::string_view version,
                                                    const Value& object) {
  std::vector<builtin::UnknownField> out, common;
  const Value* schema = schema_of(definition, version);
  for (const std::string& path : paths) {
    bool in_metadata = path.starts_with("metadata.");
    if (in_metadata && common.empty()) common = unknown_in_metadata(object);
    auto same = std::ranges::find(common, path, &builtin::UnknownField::path);
    std::string meant = !in_metadata           ? suggestion(schema, path)
                        : same == common.end() ? std::string()
                                               : same->suggestion;
    out.push_back({path, std::move(meant)});
  }
  return out;
}

}  // namespace portcullis
