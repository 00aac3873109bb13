// See schema_walk.h.
#include "cli/drafts/schema_walk.h"

#include <algorithm>
#include <optional>

#include "admission/objects/field_error.h"
#include "cli/drafts/smallest.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {
namespace {

constexpr size_t kMostBreaches = 2000;  // of a schema
constexpr int64_t kLongest = 254;       // texts that are made too long

// The values that the schema lists for its properties.
void add_enums(const Value& schema, std::set<std::string>& out) {
  constexpr size_t kMostValues = 10, kMostProperties = 100;  // values of a property
  const Value* properties = find_member(schema, "properties", Kind::Map);
  for (size_t i = 0; properties != nullptr && i < std::min<size_t>(properties->size(), kMostProperties);
       i++) {
    const Value* values = find_member(properties->as_map()[i].value, "enum", Kind::List);
    for (size_t k = 0; values != nullptr && k < std::min<size_t>(values->size(), kMostValues); k++)
      out.insert(to_json(values->as_list()[k]));
  }
}

Path one_more(Path at, std::string_view name) {
  at.emplace_back(name);
  return at;
}

}  // namespace

std::string dotted(const Path& path) {
  std::string out;
  for (const std::string& step : path) out = step == kElement ? out + step : child(out, step);
  return out.empty() ? "the object" : out;
}

void SchemaWalk::visit(const Value& schema, const std::string& path, const Path& at) {
  if (!schema.is(Kind::Map) || at.size() > kDeepest) return;
  if (!at.empty()) note_bounds(schema, at);
  if (const Value* list = find_member(schema, "x-kubernetes-validations", Kind::List)) {
    const std::string below = child(path, "x-kubernetes-validations");
    std::set<std::string> listed;
    add_enums(schema, listed);
    for (size_t i = 0; i < list->size(); i++) {
      const std::string_view text = text_member(list->as_list()[i], "rule");
      if (text.empty()) continue;
      rules.push_back({index(below, i), i, at, text, reads_of_rule(text, at)});
      rules.back().reads.constants.insert(listed.begin(), listed.end());
      // Other objects would not be of this definition.
      for (const char* own : {"apiVersion", "kind"}) rules.back().reads.paths.erase({own});
    }
  }
  if (const Value* names = find_member(schema, "required", Kind::List)) {
    for (const Value& name : names->as_list()) {
      if (name.is(Kind::String)) note({"required", one_more(at, name.as_text()), ""});
    }
  }
  if (const Value* items = find_member(schema, "items", Kind::Map))
    visit(*items, child(path, "items"), one_more(at, kElement));
  if (const Value* more = find_member(schema, "additionalProperties", Kind::Map))
    visit(*more, child(path, "additionalProperties"), one_more(at, "key"));
  const Value* properties = find_member(schema, "properties", Kind::Map);
  if (properties == nullptr) return;
  for (const MapEntry& e : properties->as_map()) {
    const std::string_view name = e.key.as_text();
    if (at.empty() && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
    visit(e.value, child(path, "properties") + "[" + std::string(name) + "]", one_more(at, name));
  }
}

void SchemaWalk::note(Breach breach) {
  if (breaches.size() < kMostBreaches) breaches.push_back(std::move(breach));
}

void SchemaWalk::note_bounds(const Value& schema, const Path& at) {
  auto number = [&](std::string_view keyword) -> std::optional<int64_t> {
    const Value* v = find_member(schema, keyword, Kind::Int);
    return v == nullptr ? std::nullopt : std::optional(v->as_int());
  };
  auto add = [&](std::string keyword, std::string json) { note({std::move(keyword), at, std::move(json)}); };
  if (auto n = number("minimum"); n && *n > INT64_MIN) add("minimum", std::to_string(*n - 1));
  if (auto n = number("maximum"); n && *n < INT64_MAX) add("maximum", std::to_string(*n + 1));
  if (auto n = number("minLength"); n && *n > 0) add("minLength", "\"\"");
  if (auto n = number("maxLength"); n && *n >= 0 && *n < kLongest)
    add("maxLength", quote_json(std::string(static_cast<size_t>(*n) + 1, 'x')));
  if (find_member(schema, "enum", Kind::List) != nullptr && text_member(schema, "type") == "string")
    add("enum", "\"none of these\"");
}

}  // namespace portcullis::drafts
