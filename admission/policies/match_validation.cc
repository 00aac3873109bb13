#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "admission/policies/validation.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/names.h"
#include "grammar/ascii.h"

namespace portcullis {
namespace {

bool has_wildcard(const Data& list) {
  return std::any_of(list.items.begin(), list.items.end(), [](const Data& d) { return d.text == "*"; });
}

// A list must have an item, and `*` must be its only item.
void validate_wildcard_list(const Data& list, const std::string& path, std::string_view others,
                            FieldErrors& errors) {
  if (list.size() == 0) errors.required(path);
  if (list.size() > 1 && has_wildcard(list)) {
    errors.invalid_json(path, strings_json(list),
                        fmt::format("if '*' is present, must not specify other {}", others));
  }
}

// Keeps quirks of upstream: overlaps are only found among earlier items, and only the last item without a
// subresource is remembered.
void validate_resources(const Data& resources, const std::string& path, FieldErrors& errors) {
  if (resources.size() == 0) errors.required(path);
  std::set<std::string_view> all_of_resource, all_of_subresource;
  bool everything = false, all_resources = false, plain = false;
  for (size_t i = 0; i < resources.size(); i++) {
    std::string_view item = resources.items[i].text;
    if (item.empty()) {
      errors.required(index(path, i));
      continue;
    }
    everything |= item == "*/*";
    all_resources |= item == "*";
    if (item.find('/') == item.npos) {
      plain = item != "*";
      continue;
    }
    const auto [res, sub] = split_resource(item);
    if (all_of_resource.contains(res)) {
      errors.invalid(index(path, i), item,
                     fmt::format("if '{}/*' is present, must not specify {}", res, item));
    }
    if (all_of_subresource.contains(sub)) {
      errors.invalid(index(path, i), item,
                     fmt::format("if '*/{}' is present, must not specify {}", sub, item));
    }
    if (sub == "*") all_of_resource.insert(res);
    if (res == "*") all_of_subresource.insert(sub);
  }
  if (resources.size() > 1 && everything) {
    errors.invalid_json(path, strings_json(resources),
                        "if '*/*' is present, must not specify other resources");
  }
  if (all_resources && plain) {
    errors.invalid_json(path, strings_json(resources),
                        "if '*' is present, must not specify other resources without subresources");
  }
}

void validate_named_rule(const Data& rule, const std::string& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  const Data& names = rule["resourceNames"];
  for (size_t i = 0; i < names.size(); i++) {
    std::string at = index(child(path, "resourceNames"), i);
    std::string_view name = names.items[i].text;
    for (const std::string& message : names::path_segment(name)) errors.invalid(at, name, message);
    if (!seen.insert(name).second) errors.duplicate(at, name);
  }
  validate_rule_with_operations(rule, path, errors);
}

void validate_selector(const Data& selector, const std::string& path, FieldErrors& errors) {
  if (!selector.set) return errors.required(path);
  validate_label_selector(selector, false, path, errors);
}

}  // namespace

bool one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void validate_rule_with_operations(const Data& rule, const std::string& path, FieldErrors& errors) {
  const Data &operations = rule["operations"], &versions = rule["apiVersions"], &scope = rule["scope"];
  validate_wildcard_list(operations, child(path, "operations"), "operations", errors);
  for (size_t i = 0; i < operations.size(); i++) {
    std::string_view op = operations.items[i].text;
    if (!one_of(op, {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"})) {
      errors.not_supported(index(child(path, "operations"), i), op,
                           {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
    }
  }
  validate_wildcard_list(rule["apiGroups"], child(path, "apiGroups"), "API groups", errors);
  validate_wildcard_list(versions, child(path, "apiVersions"), "API versions", errors);
  for (size_t i = 0; i < versions.size(); i++) {
    if (versions.items[i].text.empty()) errors.required(index(child(path, "apiVersions"), i));
  }
  validate_resources(rule["resources"], child(path, "resources"), errors);
  if (scope.set && !one_of(scope.text, {"*", "Cluster", "Namespaced"})) {
    errors.not_supported(child(path, "scope"), scope.text, {"*", "Cluster", "Namespaced"});
  }
}

void validate_match_resources(const Data& match, const std::string& path, FieldErrors& errors) {
  if (!match.set) return;
  const Data& policy = match["matchPolicy"];
  if (!policy.set) {
    errors.required(child(path, "matchPolicy"));
  } else if (!one_of(policy.text, {"Equivalent", "Exact"})) {
    errors.not_supported(child(path, "matchPolicy"), policy.text, {"Equivalent", "Exact"});
  }
  for (std::string_view field : {"namespaceSelector", "objectSelector"})
    validate_selector(match[field], child(path, field), errors);
  for (std::string_view field : {"resourceRules", "excludeResourceRules"}) {
    const Data& rules = match[field];
    for (size_t i = 0; i < rules.size(); i++)
      validate_named_rule(rules.items[i], index(child(path, field), i), errors);
  }
}

// Upstream's path has no index.
void validate_mutating_operations(const Data& match, const std::string& path, FieldErrors& errors) {
  for (const Data& rule : match["resourceRules"].items) {
    for (const Data& op : rule["operations"].items) {
      if (one_of(op.text, {"*", "CONNECT", "CREATE", "UPDATE"})) continue;
      errors.not_supported(child(child(path, "resourceRules"), "operations"), op.text,
                           {"*", "CONNECT", "CREATE", "UPDATE"});
    }
  }
}

void validate_param_kind(const Data& kind, const std::string& path, FieldErrors& errors) {
  std::string_view api_version = kind.field_text("apiVersion");
  std::string at = child(path, "apiVersion");
  const auto [group, version, well_formed] = split_api_version(api_version);
  if (api_version.empty()) {
    errors.required(at);
  } else if (!well_formed) {
    errors.invalid(at, api_version, malformed_api_version(api_version));
  } else {
    if (!group.empty()) {
      auto messages = names::dns1123_subdomain(group);
      if (!messages.empty()) errors.invalid(at, group, fmt::format("{}", fmt::join(messages, ",")));
    }
    if (version.empty()) {
      errors.invalid(at, api_version, "version must be specified");
    } else {
      auto messages = names::dns1035_label(version);
      if (!messages.empty()) errors.invalid(at, version, fmt::format("{}", fmt::join(messages, ",")));
    }
  }
  std::string_view name = kind.field_text("kind");
  if (name.empty()) return errors.required(child(path, "kind"));
  auto messages = names::dns1035_label(lower_case(name));
  if (!messages.empty()) {
    errors.invalid(
        child(path, "kind"), name,
        fmt::format("may have mixed case, but should otherwise match: {}", fmt::join(messages, ",")));
  }
}

void validate_param_ref(const Data& ref, const std::string& path, FieldErrors& errors) {
  if (!ref.set) return;
  std::string_view name = ref.field_text("name");
  const Data& selector = ref["selector"];
  constexpr std::string_view kExclusive = "name and selector are mutually exclusive";
  if (!name.empty()) {
    for (const std::string& message : names::path_segment(name))
      errors.invalid(child(path, "name"), name, message);
    if (selector.set) errors.forbidden(child(path, "name"), kExclusive);
  }
  if (selector.set) {
    validate_label_selector(selector, false, child(path, "selector"), errors);
    if (!name.empty()) errors.forbidden(child(path, "selector"), kExclusive);
  }
  if (name.empty() && !selector.set) errors.required(path, "one of name or selector must be specified");
  const Data& action = ref["parameterNotFoundAction"];
  if (action.text.empty()) {
    errors.required(child(path, "parameterNotFoundAction"));
  } else if (!one_of(action.text, {"Deny", "Allow"})) {
    errors.not_supported(child(path, "parameterNotFoundAction"), action.text, {"Deny", "Allow"}, true);
  }
}

}  // namespace portcullis
