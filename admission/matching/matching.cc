#include "admission/matching/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "admission/builtin/registration.h"
#include "admission/matching/asked_versions.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/names.h"

namespace portcullis {
namespace {

bool is_namespaces(const GroupVersionResource& r) {
  return r.group.empty() && r.version == "v1" && r.resource == "namespaces";
}

bool is_review(const GroupVersionResource& resource) {
  return std::any_of(kReviewResources.begin(), kReviewResources.end(), [&](const GroupResource& r) {
    return r.group == resource.group && r.resource == resource.resource;
  });
}
}  // namespace

bool exempt_from_policies(const GroupVersionResource& resource) {
  if (resource.group != kRegistrationGroup) return is_review(resource);
  return std::ranges::any_of(api_kinds, [&](const ApiKind& k) {
    return k.sort != ApiKind::Sort::Configuration && k.resource == resource.resource;
  });
}

bool exempt_from_webhooks(const AdmissionRequest& request) {
  const bool registers =
      request.kind.group == kRegistrationGroup && find_api_kind(request.kind.kind) != nullptr;
  return registers || is_review(request.resource);
}

NameSet::NameSet(const Data& list) {
  for (const Data& item : list.items) {
    any_ |= item.text == "*";
    names_.emplace_back(item.text);
  }
}

bool NameSet::contains(std::string_view name) const {
  return any_ || std::find(names_.begin(), names_.end(), name) != names_.end();
}

ResourceRule::ResourceRule(const Data& rule) : groups(rule["apiGroups"]), versions(rule["apiVersions"]) {
  for (const Data& op : rule["operations"].items) {
    Operation parsed;
    if (op.text == "*") operations = 0xff;
    if (parse_operation(op.text, parsed)) operations |= operation_bit(parsed);
  }
  for (const Data& r : rule["resources"].items) {
    const auto [resource, subresource] = split_resource(r.text);
    resources.push_back({std::string(resource), std::string(subresource)});
  }
  for (const Data& n : rule["resourceNames"].items) names.emplace_back(n.text);
  std::set<std::string_view> sorted;
  for (const std::string& v : versions.names()) {
    if (names::dns1123_label(v).empty()) sorted.insert(v);
  }
  for (std::string_view v : sorted) {
    if (!versions_text.empty()) versions_text += kBetweenVersions;
    versions_text += v;
  }
  const Data& s = rule["scope"];
  if (s.set && s.text != "*") {
    scope = s.text == "Namespaced" ? Scope::Namespaced : s.text == "Cluster" ? Scope::Cluster : Scope::Never;
  }
}

bool ResourceRule::matches_operation(const AdmissionRequest& request) const {
  return operations & operation_bit(request.operation);
}

bool ResourceRule::matches_scope(const AdmissionRequest& request,
                                 const GroupVersionResource& resource) const {
  if (scope == Scope::Any) return true;
  bool cluster = is_namespaces(resource) || request.namespace_name.empty();
  return scope != Scope::Never && cluster == (scope == Scope::Cluster);
}

bool ResourceRule::matches_resource(const AdmissionRequest& request,
                                    const GroupVersionResource& resource) const {
  // `pods/*` also matches pods itself: `*` matches any subresource, the empty one included.
  return std::any_of(resources.begin(), resources.end(), [&](const Resource& r) {
    return (r.name == "*" || r.name == resource.resource) &&
           (r.subresource == "*" || r.subresource == request.subresource);
  });
}

bool ResourceRule::matches(const AdmissionRequest& request, const GroupVersionResource& resource) const {
  return matches_operation(request) && matches_scope(request, resource) && groups.contains(resource.group) &&
         versions.contains(resource.version) && matches_resource(request, resource);
}

bool ResourceRule::matches_at_a_version(const AdmissionRequest& request) const {
  return (versions.any() || !versions_text.empty()) && matches_operation(request) &&
         matches_scope(request, request.resource) && groups.contains(request.resource.group) &&
         matches_resource(request, request.resource);
}

bool ResourceRule::matches_name(std::string_view name) const {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

MatchRules::MatchRules(const Data& match, bool required) : present_(match.set) {
  if (!match.set) {
    if (required) error_ = "policy contained no match constraints, a required field";
    return;
  }
  read_selectors(match);
  for (const Data& r : match["resourceRules"].items) rules_.emplace_back(r);
  for (const Data& r : match["excludeResourceRules"].items) excludes_.emplace_back(r);
  const Data& policy = match["matchPolicy"];
  equivalent_ = policy.set && policy.text != "Exact";
}

MatchRules MatchRules::of_webhook(const Data& webhook) {
  MatchRules out;
  out.present_ = out.needs_rule_ = true;
  out.read_selectors(webhook);
  for (const Data& r : webhook["rules"].items) out.rules_.emplace_back(r);
  out.equivalent_ = webhook.field_text("matchPolicy") == "Equivalent";
  return out;
}

void MatchRules::read_selectors(const Data& match) {
  constexpr std::string_view kNil =
      "a nil {} selector was passed, please ensure selectors are initialized properly";
  if (!match["objectSelector"].set) error_ = fmt::format(fmt::runtime(kNil), "object");
  if (!match["namespaceSelector"].set) error_ = fmt::format(fmt::runtime(kNil), "namespace");
  namespace_selector_ = LabelSelector(match["namespaceSelector"]);
  object_selector_ = LabelSelector(match["objectSelector"]);
  if (!namespace_selector_.error().empty())
    namespace_error_ = "Internal error occurred: " + namespace_selector_.error();
  if (!object_selector_.error().empty())
    object_error_ = "Internal error occurred: " + object_selector_.error();
}

MatchOutcome MatchRules::match_rules(const std::vector<ResourceRule>& rules, const MatchScene& scene) const {
  const AdmissionRequest& request = *scene.request;
  for (const ResourceRule& rule : rules) {
    if (rule.matches(request, request.resource) && rule.matches_name(request.name)) return {.matches = true};
  }
  if (!equivalent_) return {};
  for (const ResourceRule& rule : rules) {
    for (const Equivalent& e : scene.equivalents) {
      if (e.resource == request.resource || !rule.matches(request, e.resource)) continue;
      if (!e.error.empty()) return {.error = e.error};
      if (rule.matches_name(request.name)) return {.matches = true, .as = &e};
    }
  }
  return {};
}

template <typename Add>
void MatchRules::each_asked(const AdmissionRequest& request, Add add) const {
  const auto takes = [&](const ResourceRule& r) { return r.matches_at_a_version(request); };
  const auto takes_any = [&](const ResourceRule& r) { return r.versions.any() && takes(r); };
  if (unrestricted() || std::ranges::any_of(rules_, takes_any)) return add(kAnyVersion);
  std::string_view last;
  for (const ResourceRule& r : rules_) {
    if (!takes(r) || r.versions_text == last) continue;
    add(last.empty() ? kVersions : std::string_view(&kBetweenRules, 1));
    add(last = r.versions_text);
  }
}

std::string MatchRules::asked_versions(const AdmissionRequest& request) const {
  std::string out;
  each_asked(request, [&](std::string_view part) { out += part; });
  return out;
}

bool MatchRules::asks_for(const AdmissionRequest& request, std::string_view versions) const {
  bool same = true;
  each_asked(request, [&](std::string_view part) {
    same = same && versions.starts_with(part);
    if (same) versions.remove_prefix(part.size());
  });
  return same && versions.empty();
}

MatchOutcome MatchRules::match_resources(const MatchScene& scene) const {
  if (rules_.empty()) return {.matches = !needs_rule_};
  const MatchOutcome outcome = match_rules(rules_, scene);
  if (outcome.matches || !outcome.error.empty() || !equivalent_ || scene.any_version == nullptr)
    return outcome;
  const auto may_take = [&](const ResourceRule& r) {
    return r.matches_at_a_version(*scene.request) && r.matches_name(scene.request->name);
  };
  return std::ranges::any_of(rules_, may_take) ? MatchOutcome{.matches = true, .as = scene.any_version}
                                               : outcome;
}

std::string_view MatchRules::namespace_problem(const MatchScene& scene) const {
  const AdmissionRequest& request = *scene.request;
  bool cluster_scoped = request.namespace_name.empty() && request.resource.resource != "namespaces";
  if (cluster_scoped) return {};
  if (!namespace_error_.empty()) return namespace_error_;
  return namespace_selector_.everything() ? std::string_view() : scene.namespace_error;
}

bool MatchRules::lacks_namespace(const MatchScene& scene) const {
  return scene.lacks_namespace && namespace_error_.empty() && !namespace_problem(scene).empty();
}

bool MatchRules::selects_namespace(const MatchScene& scene) const {
  const AdmissionRequest& request = *scene.request;
  bool cluster_scoped = request.namespace_name.empty() && request.resource.resource != "namespaces";
  return cluster_scoped || !namespace_problem(scene).empty() || namespace_selector_.everything() ||
         namespace_selector_.matches(scene.namespace_labels);
}

bool MatchRules::selects_object(const MatchScene& scene) const {
  return !object_error_.empty() || object_selector_.everything() ||
         (scene.has_object && object_selector_.matches(scene.object_labels)) ||
         (scene.has_old_object && object_selector_.matches(scene.old_object_labels));
}

MatchOutcome MatchRules::match(const MatchScene& scene) const {
  if (!error_.empty()) return {.error = error_};
  if (!present_) return {.matches = true};
  if (!selects_namespace(scene) || !selects_object(scene)) return {};
  if (!excludes_.empty()) {
    MatchOutcome excluded = match_excludes(scene);
    if (!excluded.error.empty()) return {.error = excluded.error, .field = "excludeResourceRules"};
    if (excluded.matches) return {};
  }
  MatchOutcome outcome = match_resources(scene);
  if (!outcome.error.empty()) outcome.field = "resourceRules";
  if (!outcome.matches) return outcome;
  // Errors of selectors only surface for requests that match otherwise.
  std::string_view problem = namespace_problem(scene);
  if (!problem.empty())
    return {.lacks_namespace = lacks_namespace(scene), .error = problem, .field = "namespaceSelector"};
  if (!object_error_.empty()) return {.error = object_error_, .field = "objectSelector"};
  return outcome;
}

}  // namespace portcullis
