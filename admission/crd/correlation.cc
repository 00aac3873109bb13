#include "admission/crd/correlation.h"

#include <algorithm>

#include "interpreter/values/list_types.h"

namespace portcullis::crd {

OldItems::OldItems(const Schema& schema, const Value* old_list) {
  if (schema.type != "array" || schema.list_type != "map" || old_list == nullptr || !old_list->is(Kind::List))
    return;
  keyed_ = true;
  for (const std::string& key : schema.list_map_keys) keys_.push_back(Value::string(key));
  for (const Value& item : old_list->as_list()) {
    if (auto key = key_of(item)) by_key_.emplace_back(std::move(*key), &item);
  }
  // Of items with the same key, the first one counts.
  std::stable_sort(by_key_.begin(), by_key_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

const Value* OldItems::find(const Value& item) const {
  if (by_key_.empty()) return nullptr;
  auto key = key_of(item);
  if (!key) return nullptr;
  auto found = std::lower_bound(by_key_.begin(), by_key_.end(), *key,
                                [](const auto& a, const std::string& b) { return a.first < b; });
  return found == by_key_.end() || found->first != *key ? nullptr : found->second;
}

// The keys of an item as one text; nothing unless all are present and scalar.
std::optional<std::string> OldItems::key_of(const Value& item) const {
  if (!item.is(Kind::Map)) return std::nullopt;
  std::string out;
  for (const Value& name : keys_) {
    const Value* v = find_key(item, name);
    if (v == nullptr || v->is_null() || v->is(Kind::List) || v->is(Kind::Map)) return std::nullopt;
    out += static_cast<char>('a' + static_cast<int>(v->kind()));
    if (v->is(Kind::String))
      out.append(std::to_string(v->size())).append(":").append(v->as_text());
    else
      out.append(std::to_string(v->raw_payload())).append(";");
  }
  return out;
}

Correlation Correlation::field(std::string_view name) const {
  if (old == nullptr || schema == nullptr || !old->is(Kind::Map) || !value->is(Kind::Map)) return {};
  Value key = Value::string(name);
  const Value* was = find_key(*old, key);
  const Value* is = find_key(*value, key);
  const Schema* s = schema->property(name);
  if (s == nullptr) s = schema->additional.get();
  if (was == nullptr || is == nullptr || s == nullptr) return {};
  return {is, was, s, resource && name == "metadata"};
}

Correlation Correlation::item(size_t i, const OldItems& old_items) const {
  if (old == nullptr || schema == nullptr || schema->items == nullptr || !value->is(Kind::List) ||
      i >= value->size())
    return {};
  const Value* was = old_items.find(value->as_list()[i]);
  return was == nullptr ? Correlation{} : Correlation{&value->as_list()[i], was, schema->items.get()};
}

bool Correlation::unchanged() const {
  if (old == nullptr || resource) return false;
  if (value->is(Kind::List) && old->is(Kind::List)) {
    if (value->size() != old->size()) return false;
    OldItems old_items(*schema, old);
    if (!old_items.keyed()) return same_data(*value, *old);
    for (size_t i = 0; i < value->size(); ++i) {
      if (!item(i, old_items).unchanged()) return false;
    }
    return true;
  }
  if (value->is(Kind::Map) && old->is(Kind::Map)) {
    if (value->size() != old->size()) return false;
    for (const MapEntry& e : value->as_map()) {
      if (!field(e.key.as_text()).unchanged()) return false;
    }
    return true;
  }
  return same_data(*value, *old);
}

}  // namespace portcullis::crd
