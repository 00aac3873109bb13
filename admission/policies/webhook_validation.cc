// Validation of webhook configurations: see validation.h.
#include <fmt/format.h>

#include <algorithm>

#include "admission/matching/matching.h"
#include "admission/policies/validation.h"
#include "admission/policies/webhook_client.h"
#include "admission/scalars/names.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr std::string_view kReviewVersions[] = {"v1", "v1beta1"};

bool harmless(const Data& side_effects) {
  return side_effects.set && one_of(side_effects.text, {"None", "NoneOnDryRun"});
}
bool known_review_version(const Data& versions) {
  return std::any_of(versions.items.begin(), versions.items.end(), [](const Data& v) {
    return std::find(std::begin(kReviewVersions), std::end(kReviewVersions), v.text) !=
           std::end(kReviewVersions);
  });
}

// What is checked of an object; an update permits some errors that the stored object has.
struct WebhookOptions {
  bool no_side_effects = true, recognized_versions = true, unique_names = true;
  bool allow_invalid_values = false;
  ConditionOptions conditions;

  explicit WebhookOptions(const ExpressionSetting& setting) : conditions{.setting = setting} {}
};

bool has_selector_errors(const Data& hooks) {
  FieldErrors errors;
  for (const Data& hook : hooks.items) {
    for (std::string_view field : {"namespaceSelector", "objectSelector"}) {
      if (hook[field].set) validate_label_selector(hook[field], false, "", errors);
    }
  }
  return !errors.list.empty();
}

// `old_object`: null on create.
WebhookOptions options_for(const Data& hooks, const Data* old_object, const ExpressionSetting& setting) {
  WebhookOptions o(setting);
  if (old_object == nullptr) return o;
  const Data& old = (*old_object)["webhooks"];
  o.conditions.before = Preexisting(*old_object);
  std::set<std::string_view> names;
  for (const Data& hook : old.items) {
    if (!harmless(hook["sideEffects"])) o.no_side_effects = false;
    const Data& versions = hook["admissionReviewVersions"];
    if (versions.size() > 0 && !known_review_version(versions)) o.recognized_versions = false;
    if (!names.insert(hook["name"].text).second) o.unique_names = false;
  }
  o.allow_invalid_values = has_selector_errors(old);
  o.conditions.ignore = hooks.size() == old.size();
  for (size_t i = 0; i < old.size() && o.conditions.ignore; i++) {
    o.conditions.ignore = deep_equal(hooks.items[i]["matchConditions"], old.items[i]["matchConditions"]);
  }
  return o;
}

void validate_hook_name(std::string_view name, const std::string& path, FieldErrors& errors) {
  if (name.empty()) return errors.required(path);
  auto messages = names::dns1123_subdomain(name);
  if (!messages.empty()) return errors.invalid(path, name, fmt::format("{}", fmt::join(messages, ",")));
  if (std::count(name.begin(), name.end(), '.') < 2) {
    errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
  }
}

void validate_client(const Data& client, const std::string& path, FieldErrors& errors) {
  bool has_url = client["url"].set, has_service = client["service"].set;
  if (has_url == has_service) return errors.required(path, "exactly one of url or service is required");
  if (has_url) return validate_webhook_url(client["url"].text, child(path, "url"), errors);
  const Data& service = client["service"];
  WebhookService called{service["name"].text, service["namespace"].text, {}, service["port"].number};
  if (service["path"].set) called.path = service["path"].text;
  validate_webhook_service(called, child(path, "service"), errors);
}

void validate_side_effects(const Data& effects, bool strict, const std::string& path, FieldErrors& errors) {
  if (!effects.set) {
    return errors.required(path, strict ? "must specify one of None, NoneOnDryRun"
                                        : "must specify one of None, NoneOnDryRun, Some, Unknown");
  }
  if (harmless(effects)) return;
  if (strict) return errors.not_supported(path, effects.text, {"None", "NoneOnDryRun"});
  if (!one_of(effects.text, {"Some", "Unknown"})) {
    errors.not_supported(path, effects.text, {"None", "NoneOnDryRun", "Some", "Unknown"});
  }
}

void validate_hook_versions(const Data& versions, bool recognized, const std::string& path,
                            FieldErrors& errors) {
  if (versions.size() == 0) return errors.required(path, "must specify one of v1, v1beta1");
  std::vector<std::string_view> texts;
  std::string json;
  for (const Data& v : versions.items) {
    texts.push_back(v.text);
    json += (json.empty() ? "[" : ",") + quote_json(v.text, JsonEscape::Go);
  }
  validate_review_versions(texts, path, errors);
  if (recognized && !known_review_version(versions)) errors.invalid_json(path, json + "]", kNoKnownVersion);
}

void validate_webhook(const Data& hook, bool mutating, const WebhookOptions& options, const std::string& path,
                      FieldErrors& errors) {
  validate_hook_name(hook["name"].text, child(path, "name"), errors);
  const Data& rules = hook["rules"];
  for (size_t i = 0; i < rules.size(); i++)
    validate_rule_with_operations(rules.items[i], index(child(path, "rules"), i), errors);
  const Data &failure = hook["failurePolicy"], &match = hook["matchPolicy"];
  if (failure.set && !one_of(failure.text, {"Fail", "Ignore"})) {
    errors.not_supported(child(path, "failurePolicy"), failure.text, {"Fail", "Ignore"});
  }
  if (match.set && !one_of(match.text, {"Equivalent", "Exact"})) {
    errors.not_supported(child(path, "matchPolicy"), match.text, {"Equivalent", "Exact"});
  }
  validate_side_effects(hook["sideEffects"], options.no_side_effects, child(path, "sideEffects"), errors);
  const Data& timeout = hook["timeoutSeconds"];
  if (timeout.set && (timeout.number > 30 || timeout.number < 1)) {
    errors.invalid_number(child(path, "timeoutSeconds"), timeout.number,
                          "the timeout value must be between 1 and 30 seconds");
  }
  for (std::string_view field : {"namespaceSelector", "objectSelector"}) {
    if (hook[field].set)
      validate_label_selector(hook[field], options.allow_invalid_values, child(path, field), errors);
  }
  const Data& reinvocation = hook["reinvocationPolicy"];
  if (mutating && reinvocation.set && !one_of(reinvocation.text, {"IfNeeded", "Never"})) {
    errors.not_supported(child(path, "reinvocationPolicy"), reinvocation.text, {"IfNeeded", "Never"});
  }
  validate_client(hook["clientConfig"], child(path, "clientConfig"), errors);
  if (!options.conditions.ignore) {
    validate_match_conditions(hook["matchConditions"], options.conditions, child(path, "matchConditions"),
                              errors);
  }
}

// Warns of resources that webhooks never see, once per rule. The lists may be long, so it visits only the
// groups that have such resources, each once.
void rule_warnings(const Data& rule, const std::string& path, std::vector<std::string>& warnings) {
  const Data &groups = rule["apiGroups"], &resources = rule["resources"];
  auto wild = [](const Data& list) {
    return std::any_of(list.items.begin(), list.items.end(), [](const Data& d) { return d.text == "*"; });
  };
  if (wild(groups) || wild(resources)) return;
  std::set<std::string_view> looked_at;
  std::set<const GroupResource*> seen;
  for (const Data& group : groups.items) {
    bool has_any = std::any_of(kReviewResources.begin(), kReviewResources.end(),
                               [&](const GroupResource& v) { return v.group == group.text; });
    if (!has_any || !looked_at.insert(group.text).second) continue;
    for (const Data& resource : resources.items) {
      for (const GroupResource& v : kReviewResources) {
        if (v.group != group.text || v.resource != resource.text || !seen.insert(&v).second) continue;
        warnings.push_back(
            fmt::format("{}: {}.{} is excluded from admission webhooks; this rule will have no effect", path,
                        v.resource, v.group));
      }
    }
  }
}

}  // namespace

void validate_webhooks(const ApiKind& kind, const Data& object, const Data* old, FieldErrors& errors,
                       const ExpressionSetting& setting) {
  const Data& hooks = object["webhooks"];
  const WebhookOptions options = options_for(hooks, old, setting);
  std::set<std::string_view> names;
  for (size_t i = 0; i < hooks.size(); i++) {
    const Data& hook = hooks.items[i];
    std::string path = index("webhooks", i);
    validate_webhook(hook, kind.kind.starts_with("Mutating"), options, path, errors);
    validate_hook_versions(hook["admissionReviewVersions"], options.recognized_versions,
                           child(path, "admissionReviewVersions"), errors);
    std::string_view name = hook["name"].text;
    if (options.unique_names && !name.empty() && !names.insert(name).second)
      errors.duplicate(child(path, "name"), name);
  }
}

void webhook_warnings(const Data& object, std::vector<std::string>& warnings) {
  const Data& hooks = object["webhooks"];
  for (size_t i = 0; i < hooks.size(); i++) {
    const Data& rules = hooks.items[i]["rules"];
    for (size_t j = 0; j < rules.size(); j++) {
      rule_warnings(rules.items[j], index(child(index("webhooks", i), "rules"), j), warnings);
    }
  }
}

}  // namespace portcullis
