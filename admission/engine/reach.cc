// See reach.h.
#include "admission/engine/reach.h"

#include <fmt/format.h>

#include "admission/engine/scene.h"

namespace portcullis {
namespace {

std::string labels_text(const Value& labels) {
  std::string out;
  if (labels.is(Kind::Map)) {
    for (const MapEntry& e : labels.as_map()) {
      std::string_view value = e.value.is_null() ? std::string_view() : e.value.as_text();
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", e.key.as_text(), value);
    }
  }
  return "{" + out + "}";
}

// "[a, b]"; the core group as "".
std::string list_text(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    out.append(out.empty() ? "" : ", ").append(name.empty() ? "\"\"" : name);
  return "[" + out + "]";
}

std::string operations_text(const ResourceRule& rule) {
  std::vector<std::string> names;
  for (Operation o : kAllOperations) {
    if (rule.operations & operation_bit(o)) names.emplace_back(operation_name(o));
  }
  return list_text(names);
}

std::string resources_text(const ResourceRule& rule) {
  std::vector<std::string> names;
  for (const ResourceRule::Resource& r : rule.resources)
    names.push_back(r.subresource.empty() ? r.name : r.name + "/" + r.subresource);
  return list_text(names);
}

std::string scope_text(const ResourceRule& rule) {
  switch (rule.scope) {
    case ResourceRule::Scope::Cluster: return "scope Cluster, while the request is namespaced";
    case ResourceRule::Scope::Namespaced: return "scope Namespaced, while the request is cluster-scoped";
    default: return "a scope that does not exist";
  }
}

// "CREATE of apps/v1 deployments".
std::string asked_text(const AdmissionRequest& request) {
  return fmt::format("{} of {}", operation_name(request.operation),
                     resource_text(request.resource, request.subresource));
}

// How a rule differs from a request.
struct RuleDifference {
  int weight = 0;            // how far it is from a match
  size_t rule = 0;           // its index
  std::string field, texts;  // fields of the rule: the first; texts of all, joined

  void add(int more, std::string_view name, std::string text) {
    weight += more;
    if (field.empty()) field = name;
    texts.append(texts.empty() ? "" : ", ").append(text);
  }
};

RuleDifference difference(const ResourceRule& rule, size_t number, const AdmissionRequest& request,
                          const GroupVersionResource& resource) {
  constexpr int kOtherResource = 4, kOther = 1;
  RuleDifference d;
  d.rule = number;
  if (!rule.matches_resource(request, resource))
    d.add(kOtherResource, "resources", "resources " + resources_text(rule));
  if (!rule.groups.contains(resource.group))
    d.add(kOtherResource, "apiGroups", "apiGroups " + list_text(rule.groups.names()));
  if (!rule.versions.contains(resource.version))
    d.add(kOther, "apiVersions", "apiVersions " + list_text(rule.versions.names()));
  if (!rule.matches_operation(request)) d.add(kOther, "operations", "operations " + operations_text(rule));
  if (!rule.matches_scope(request, resource)) d.add(kOther, "scope", scope_text(rule));
  if (!rule.matches_name(request.name)) {
    std::string named =
        request.name.empty() ? ", while the request names none" : fmt::format(", not {}", request.name);
    d.add(kOther, "resourceNames", "resourceNames " + list_text(rule.names) + named);
  }
  return d;
}

// The equivalents of the request's resource.
std::vector<Equivalent> equivalents_in(const MatchScene& scene) {
  std::vector<Equivalent> out;
  for (const Equivalent& e : scene.equivalents) {
    if (e.resource != scene.request->resource) out.push_back(e);
  }
  return out;
}

// The first rule that fits the request, directly or as an equivalent; its text is "RULES[0] matches ...". Empty if
// none does.
Misfit fitting_rule(const MatchRules& match, const std::vector<ResourceRule>& list, const MatchScene& scene,
                    std::string_view rules) {
  const AdmissionRequest& request = *scene.request;
  for (size_t i = 0; i < list.size(); i++) {
    std::string field = fmt::format("{}[{}]", rules, i);
    if (difference(list[i], i, request, request.resource).weight == 0)
      return {field, fmt::format("{} matches {}", field, asked_text(request))};
  }
  for (size_t i = 0; i < list.size(); i++) {
    for (const Equivalent& e : equivalents_in(scene)) {
      if (!match.equivalent() || difference(list[i], i, request, e.resource).weight != 0) continue;
      std::string field = fmt::format("{}[{}]", rules, i);
      return {field, fmt::format("{} matches {} as {}", field, asked_text(request),
                                 resource_text(e.resource, request.subresource))};
    }
  }
  return {};
}

// Field and text of the nearest rule, of those that do not match.
Misfit nearest_rule(const MatchRules& match, const MatchScene& scene, std::string_view rules,
                    std::string_view of) {
  const AdmissionRequest& request = *scene.request;
  if (match.rules().empty()) return {std::string(rules), fmt::format("{} has no rules", of)};
  RuleDifference nearest;
  auto take = [&](RuleDifference d) {
    if (nearest.weight == 0 || d.weight < nearest.weight) nearest = std::move(d);
  };
  bool other_version = false;
  for (size_t i = 0; i < match.rules().size(); i++) {
    const ResourceRule& rule = match.rules()[i];
    take(difference(rule, i, request, request.resource));
    for (const Equivalent& e : equivalents_in(scene)) {
      RuleDifference d = difference(rule, i, request, e.resource);
      other_version |= d.weight == 0;
      if (match.equivalent()) take(std::move(d));
    }
  }
  std::string text = fmt::format("no rule of {} matches {}", of, asked_text(request));
  text += match.rules().size() == 1 ? ": " : fmt::format("; the nearest, {}[{}], has ", rules, nearest.rule);
  text += nearest.texts;
  if (other_version) text += " (matchPolicy Exact: other versions of the resource do not count)";
  return {fmt::format("{}[{}].{}", rules, nearest.rule, nearest.field), text};
}

std::string place(const LabelSelector::Requirement& r) {
  return r.expression < 0 ? fmt::format(".matchLabels[{}]", r.key)
                          : fmt::format(".matchExpressions[{}]", r.expression);
}

// The first requirement that the object and the old object do not meet; the field is below the selector.
Misfit unmet_by_objects(const LabelSelector& selector, const MatchScene& scene) {
  Misfit out;
  auto look = [&](bool there, const Value& labels, std::string_view what) {
    const auto* unmet = there ? selector.first_unmet(labels) : nullptr;
    if (unmet == nullptr) return;
    if (out.field.empty()) out.field = place(*unmet);
    out.text += fmt::format("{}{} does not match labels of the {} {}", out.text.empty() ? "" : "; ",
                            unmet->text(), what, labels_text(labels));
  };
  look(scene.has_object, scene.object_labels, "object");
  look(scene.has_old_object, scene.old_object_labels, "old object");
  if (out.text.empty()) out.text = "the request has no object with metadata";
  return out;
}

// The policies of one sort.
class PolicyReach {
 public:
  PolicyReach(const Engine::Loaded& loaded, const AdmissionRequest& request, bool mutating)
      : loaded_(loaded), request_(request), mutating_(mutating), scene_(scene_of(loaded, request, arena_)) {}

  std::vector<Reach> find() {
    using Kind = Reach::Kind;
    const bool exempt = exempt_from_policies(request_.resource);
    for (const LoadedPolicy& policy : mutating_ ? loaded_.mutating : loaded_.policies) {
      if (exempt) {
        add(Kind::Missed, policy, nullptr,
            {"", fmt::format("policies never see {}", resource_text(request_.resource, {}))});
      } else if (mutating_ && request_.operation == Operation::Delete) {
        add(Kind::Missed, policy, nullptr, {"", "mutating policies never see a DELETE"});
      } else {
        look_at(policy);
      }
    }
    return std::move(out_);
  }

 private:
  using Kind = Reach::Kind;

  const MatchRules& rules_of(const LoadedPolicy& policy) const { return (*loaded_.rules)[policy.match]; }

  void look_at(const LoadedPolicy& policy) {
    const MatchRules& rules = rules_of(policy);
    MatchOutcome match = rules.match(scene_);
    if (!match.error.empty())
      return add(Kind::Failed, policy, nullptr, {"spec.matchConstraints", std::string(match.error)});
    if (!match.matches) return explain(policy, nullptr, rules, "matchConstraints");
    if (!policy.configuration_error.empty())
      return add(Kind::Failed, policy, nullptr, {"spec.paramKind", std::string(policy.configuration_error)});
    for (const PolicyBinding& binding : loaded_.bindings_of(policy)) {
      const MatchRules& own = (*loaded_.rules)[binding.match];
      match = own.match(scene_);
      if (!match.error.empty()) {
        add(Kind::Failed, policy, &binding, {"spec.matchResources", std::string(match.error)});
      } else if (match.matches) {
        look_at_params(policy, binding);
      } else {
        explain(policy, &binding, own, "matchResources");
      }
    }
  }

  void explain(const LoadedPolicy& policy, const PolicyBinding* binding, const MatchRules& match,
               std::string_view where) {
    for (Misfit& m : misfits(match, scene_, "resourceRules", where)) {
      m.field = fmt::format("spec.{}.{}", where, m.field);
      add(Kind::Missed, policy, binding, std::move(m));
    }
  }

  // The binding matches. It may find no params, then it does not apply.
  void look_at_params(const LoadedPolicy& policy, const PolicyBinding& binding) {
    std::vector<const Param*> params;
    ParamProblem problem = find_params(policy, binding, request_, params);
    if (!problem.text.empty())
      return add(Kind::Failed, policy, &binding, {std::string(problem.field), std::string(problem.text)});
    if (!params.empty()) return matches(policy, binding);
    std::string kind;
    for (const auto& [name, store] : loaded_.params) {
      if (&store == policy.params) kind = name.substr(name.find("Kind=") + 5);
    }
    std::string_view space = param_namespace(policy, binding, request_);
    std::string where = space.empty() ? "" : fmt::format(" in namespace {}", space);
    const ParamReference& ref = *binding.param;
    std::string text = ref.name.empty()
                           ? fmt::format("paramRef.selector selects no {}{}", kind, where)
                           : fmt::format("paramRef names {} {}{}, which is not there", kind, ref.name, where);
    add(Kind::Missed, policy, &binding,
        {ref.name.empty() ? "spec.paramRef.selector" : "spec.paramRef.name",
         "no params found, and parameterNotFoundAction is Allow: " + text});
  }

  void matches(const LoadedPolicy& policy, const PolicyBinding& binding) {
    const MatchRules& rules = rules_of(policy);
    Misfit rule = fitting_rule(rules, rules.rules(), scene_, "resourceRules");
    rule.field = rule.field.empty() ? "spec.matchConstraints" : "spec.matchConstraints." + rule.field;
    if (rule.text.empty()) rule.text = "its match constraints have no rules";
    add(Kind::Matches, policy, &binding, std::move(rule));
  }

  void add(Kind kind, const LoadedPolicy& policy, const PolicyBinding* binding, Misfit why) {
    std::string_view of = binding == nullptr ? std::string_view() : std::string_view(binding->name);
    out_.push_back({kind, policy.name, of, std::move(why.field), std::move(why.text)});
  }

  const Engine::Loaded& loaded_;
  const AdmissionRequest& request_;
  const bool mutating_;
  Arena arena_;
  MatchScene scene_;
  std::vector<Reach> out_;
};

}  // namespace

std::string resource_text(const GroupVersionResource& r, std::string_view subresource) {
  return fmt::format("{}{}{} {}{}{}", r.group, r.group.empty() ? "" : "/", r.version, r.resource,
                     subresource.empty() ? "" : "/", subresource);
}

std::vector<Misfit> misfits(const MatchRules& match, const MatchScene& scene, std::string_view rules,
                            std::string_view of) {
  const AdmissionRequest& request = *scene.request;
  MatchOutcome resources = match.match_resources(scene);
  if (!resources.matches && resources.error.empty()) return {nearest_rule(match, scene, rules, of)};
  if (match.match_excludes(scene).matches)
    return {fitting_rule(match, match.excludes(), scene, "excludeResourceRules")};
  std::vector<Misfit> out;
  if (!match.selects_namespace(scene)) {
    const auto* unmet = match.namespace_selector().first_unmet(scene.namespace_labels);
    std::string_view name = request.namespace_name.empty() ? request.name : request.namespace_name;
    out.push_back({"namespaceSelector" + place(*unmet),
                   fmt::format("namespaceSelector: {} does not match labels of namespace {} {}",
                               unmet->text(), name, labels_text(scene.namespace_labels))});
  }
  if (!match.selects_object(scene)) {
    Misfit objects = unmet_by_objects(match.object_selector(), scene);
    out.push_back({"objectSelector" + objects.field, "objectSelector: " + objects.text});
  }
  return out;
}

std::vector<Reach> policy_reach(const Engine& engine, const AdmissionRequest& request, bool mutating) {
  return PolicyReach(engine.loaded(), request, mutating).find();
}

}  // namespace portcullis
