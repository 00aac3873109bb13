// See namespace_labels.h.
#include "cli/cluster/namespace_labels.h"

#include "admission/objects/field_error.h"
#include "admission/objects/request.h"
#include "admission/scalars/names.h"
#include "cli/messages/messages.h"
#include "interpreter/values/changed.h"

namespace portcullis {
namespace {

// The API server's error for such a label; empty if there is none.
std::string refusal(std::string_view space, std::string_view key, std::string_view value) {
  FieldErrors errors;
  for (const std::string& m : names::dns1123_label(space)) errors.invalid("metadata.name", space, m);
  for (const std::string& m : names::label_key(key)) errors.invalid("metadata.labels", key, m);
  for (const std::string& m : names::label_value(value)) errors.invalid("metadata.labels", value, m);
  return errors.list.empty() ? std::string() : errors.list[0].message;
}

bool refuse_flag(const std::string& flag, const std::string& text) {
  say(Severity::Error, {}, {}, "--namespace-label " + flag + ": " + text);
  return false;
}

}  // namespace

bool NamespaceLabels::read(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    size_t colon = flag.find(':'), equals = flag.find('=', colon + 1);
    if (colon == flag.npos || equals == flag.npos)
      return refuse_flag(flag, "want NAMESPACE:KEY=VALUE, as shop:env=prod");
    std::string space = flag.substr(0, colon), key = flag.substr(colon + 1, equals - colon - 1),
                value = flag.substr(equals + 1);
    std::string refused = refusal(space, key, value);
    if (!refused.empty()) return refuse_flag(flag, refused);
    if (key == kNamespaceNameLabel && value != space)
      return refuse_flag(flag, "the API server sets this label to the name of the namespace");
    auto [label, fresh] = labels_[space].emplace(key, value);
    if (!fresh && label->second != value)
      return refuse_flag(flag, "the label has the value " + quote_json(label->second) + " already");
  }
  return true;
}

Value NamespaceLabels::put_on(const Value& space, std::string_view name, Arena& arena) const {
  auto found = labels_.find(name);
  if (found == labels_.end()) return space;
  const Value* metadata = find_member(space, "metadata");
  const Value* old = metadata != nullptr ? find_member(*metadata, "labels") : nullptr;
  Value labels = old != nullptr && old->is(Kind::Map) ? *old : no_members();
  for (const auto& [key, value] : found->second)
    labels = with_member(arena, labels, arena.copy(key), Value::string(arena.copy(value)));
  return with_member(arena, space, "metadata",
                     with_member(arena, metadata != nullptr ? *metadata : no_members(), "labels", labels));
}

bool NamespaceLabels::has(std::string_view name) const { return labels_.find(name) != labels_.end(); }

std::vector<std::string_view> NamespaceLabels::names() const {
  std::vector<std::string_view> out;
  for (const auto& [name, labels] : labels_) out.emplace_back(name);
  return out;
}

}  // namespace portcullis
