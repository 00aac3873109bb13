// See selectors.h.
#include "cli/drafts/selectors.h"

#include <string_view>
#include <utility>

#include "admission/objects/request.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {
namespace {

using Labels = std::map<std::string, std::string>;

void add_labels(const Value& selector, Labels& labels) {
  if (const Value* wanted = find_path(selector, "matchLabels"); wanted != nullptr && wanted->is(Kind::Map)) {
    for (const MapEntry& e : wanted->as_map())
      if (e.value.is(Kind::String)) labels.emplace(e.key.as_text(), e.value.as_text());
  }
  for (const Value& e : list_at(selector, "matchExpressions")) {
    const std::string_view how = text_member(e, "operator");
    // NotIn and DoesNotExist pass where the label is absent.
    if (how == "In") {
      if (const Value* value = find_path(e, "values[0]"); value != nullptr && value->is(Kind::String))
        labels.emplace(text_member(e, "key"), value->as_text());
    }
    if (how == "Exists" && text_member(e, "key") != kNamespaceNameLabel)
      labels.emplace(text_member(e, "key"), "true");
  }
}

// The first name in the first rule, if rules let only named objects through; else empty.
std::string name_in(const Value& match) {
  const Value* name = find_path(match, "resourceRules[0].resourceNames[0]");
  return name != nullptr && name->is(Kind::String) ? std::string(name->as_text()) : std::string();
}

}  // namespace

Selected Selected::of_namespaces() const {
  Selected out{.object_labels = object_labels,
               .object_name = namespace_name.empty() ? object_name : namespace_name};
  out.object_labels.insert(namespace_labels.begin(), namespace_labels.end());
  return out;
}

std::vector<std::string> Selected::label_flags() const {
  std::vector<std::string> out;
  const std::string name = namespace_name.empty() ? "default" : namespace_name;
  for (const auto& [key, value] : namespace_labels) out.push_back(name + ":" + key + "=" + value);
  return out;
}

Selected selected_by(const InputObject& policy, const InputObject* binding) {
  Selected out;
  for (const auto& [object, member] :
       {std::pair{&policy, "spec.matchConstraints"}, {binding, "spec.matchResources"}}) {
    const Value* rules = object == nullptr ? nullptr : find_path(object->value, member);
    if (rules == nullptr) continue;
    if (const Value* selector = find_path(*rules, "namespaceSelector"))
      add_labels(*selector, out.namespace_labels);
    if (const Value* selector = find_path(*rules, "objectSelector")) add_labels(*selector, out.object_labels);
    if (out.object_name.empty()) out.object_name = name_in(*rules);
  }
  if (auto name = out.namespace_labels.extract(std::string(kNamespaceNameLabel)); !name.empty())
    out.namespace_name = name.mapped();
  return out;
}

}  // namespace portcullis::drafts
