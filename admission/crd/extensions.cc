#include "admission/crd/extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "admission/crd/metadata.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/names.h"
#include "grammar/ascii.h"
#include "interpreter/values/json.h"

namespace portcullis::crd {
namespace {

// Walks value and schema together.
template <class Visit>
void walk_values(const Value& v, const Schema& s, const std::string& path, const Visit& visit) {
  visit(v, s, path);
  if (v.is(Kind::List) && s.items != nullptr) {
    for (size_t i = 0; i < v.size(); ++i) walk_values(v.as_list()[i], *s.items, index(path, i), visit);
  }
  if (!v.is(Kind::Map)) return;
  for (const MapEntry& e : v.as_map()) {
    const Schema* property = s.property(e.key.as_text());
    if (property != nullptr) {
      walk_values(e.value, *property, child(path, e.key.as_text()), visit);
    } else if (s.additional != nullptr) {
      walk_values(e.value, *s.additional, fmt::format("{}[{}]", path, e.key.as_text()), visit);
    }
  }
}

// What the server compares of an item of a set: lists and maps as JSON, in which 1 and 1.0 are the same, scalars as
// Go does.
std::string set_identity(const Value& v) {
  std::string text;
  if (v.is(Kind::List) || v.is(Kind::Map))
    text = to_json(v, JsonEscape::Go);
  else
    append_identity(v, text);
  return text;
}

// Reports items that occur before in the list, each once. `identity`: the text that tells a key from others.
template <class Key, class Identity>
void duplicates(const Value& list, const std::string& path, FieldErrors& errors, const Key& key,
                const Identity& identity) {
  std::unordered_map<std::string, int> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    Value k = key(list.as_list()[i]);
    std::string text = identity(k);
    if (++seen[std::move(text)] == 2) errors.duplicate_data(index(path, i), k);
  }
}

void check_map_list(const Value& list, const Schema& s, const std::string& path, Arena& arena,
                    FieldErrors& errors) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Value& item = list.as_list()[i];
    if (item.is_null() || item.is(Kind::Map)) continue;
    return errors.invalid_data(index(path, i), item, "must be an object for an array of list-type map");
  }
  const auto keys_of = [&](const Value& item) {
    MapEntry* entries = alloc_entries(arena, s.list_map_keys.size());
    size_t n = 0;
    for (const std::string& name : s.list_map_keys) {
      const Value* v = item.is(Kind::Map) ? find_key(item, Value::string(name)) : nullptr;
      if (v != nullptr) new (&entries[n++]) MapEntry{Value::string(name), *v};
    }
    return make_map(entries, n);
  };
  const bool single = s.list_map_keys.size() == 1;  // its values are compared alone
  duplicates(list, path, errors, keys_of, [&](const Value& keys) {
    return !single ? set_identity(keys) : keys.size() == 0 ? "" : set_identity(keys.as_map()[0].value);
  });
}

void check_kind(std::string_view kind, const std::string& path, FieldErrors& errors) {
  std::string all;
  for (const std::string& message : names::dns1035_label(lower_case(kind)))
    all += (all.empty() ? "" : ",") + message;
  if (!all.empty()) errors.invalid(path, kind, "may have mixed case, but should otherwise match: " + all);
}

void check_embedded(const Value& v, const std::string& path, FieldErrors& errors) {
  for (std::string_view name : {"apiVersion", "kind"}) {
    const Value* found = find_key(v, Value::string(name));
    if (found == nullptr)
      errors.required(child(path, name));
    else if (!found->is(Kind::String))
      errors.invalid_data(child(path, name), *found, "must be a string");
    else if (found->size() == 0)
      errors.invalid(child(path, name), "", "must not be empty");
    else if (name == "kind")
      check_kind(found->as_text(), child(path, name), errors);
    else if (std::count(found->as_text().begin(), found->as_text().end(), '/') > 1) {
      errors.invalid(child(path, name), found->as_text(), malformed_api_version(found->as_text()));
    }
  }
  check_embedded_metadata(v, path, errors);
}

}  // namespace

void append_identity(const Value& v, std::string& out) {
  out += static_cast<char>('a' + static_cast<int>(v.kind()));
  if (v.is(Kind::String)) {
    out.append(std::to_string(v.size())).append(":").append(v.as_text());
  } else if (v.is(Kind::List)) {
    out.append(std::to_string(v.size())).append(":");
    for (const Value& item : v.as_list()) append_identity(item, out);
  } else if (v.is(Kind::Map)) {
    std::vector<const MapEntry*> entries;
    for (const MapEntry& e : v.as_map()) entries.push_back(&e);
    std::sort(entries.begin(), entries.end(),
              [](auto* a, auto* b) { return a->key.as_text() < b->key.as_text(); });
    out.append(std::to_string(v.size())).append(":");
    for (const MapEntry* e : entries) append_identity(e->key, out), append_identity(e->value, out);
  } else if (!v.is_null()) {
    double d = v.is(Kind::Double) ? v.as_double() + 0.0 : 0;  // -0.0 is 0.0
    out.append(v.is(Kind::Double) ? std::to_string(std::bit_cast<uint64_t>(d))
                                  : std::to_string(v.raw_payload()))
        .append(";");
  }
}

void check_list_types(const Value& value, const Schema& schema, FieldErrors& errors) {
  Arena arena;
  walk_values(value, schema, "", [&](const Value& v, const Schema& s, const std::string& path) {
    if (!v.is(Kind::List)) return;
    if (s.list_type == "set")
      duplicates(v, path, errors, [](const Value& item) { return item; }, set_identity);
    if (s.list_type == "map") check_map_list(v, s, path, arena, errors);
  });
}

void check_embedded_resources(const Value& value, const Schema& schema, FieldErrors& errors) {
  walk_values(value, schema, "", [&](const Value& v, const Schema& s, const std::string& path) {
    if (s.embedded_resource && v.is(Kind::Map)) check_embedded(v, path, errors);
  });
}

}  // namespace portcullis::crd
