// See mismatch.h.
#include "admission/engine/mismatch.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/engine/scene.h"

namespace portcullis {
namespace {

// "apps/v1 deployments/scale".
std::string resource_text(const GroupVersionResource& r, std::string_view subresource) {
  return fmt::format("{}{}{} {}{}{}", r.group, r.group.empty() ? "" : "/", r.version, r.resource,
                     subresource.empty() ? "" : "/", subresource);
}

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
  for (Operation o : {Operation::Create, Operation::Update, Operation::Delete, Operation::Connect}) {
    if (rule.operations & (1 << static_cast<int>(o))) names.emplace_back(operation_name(o));
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

// How a rule differs from a request.
struct Misfit {
  int weight = 0;            // how far it is from a match
  size_t rule = 0;           // its index
  std::string field, texts;  // fields of the rule: the first; texts of all, joined

  void add(int more, std::string_view name, std::string text) {
    weight += more;
    if (field.empty()) field = name;
    texts.append(texts.empty() ? "" : ", ").append(text);
  }
};

Misfit misfit(const ResourceRule& rule, size_t number, const AdmissionRequest& request,
              const GroupVersionResource& resource) {
  constexpr int kOtherResource = 4, kOther = 1;
  Misfit m;
  m.rule = number;
  if (!rule.matches_resource(request, resource))
    m.add(kOtherResource, "resources", "resources " + resources_text(rule));
  if (!rule.groups.contains(resource.group))
    m.add(kOtherResource, "apiGroups", "apiGroups " + list_text(rule.groups.names()));
  if (!rule.versions.contains(resource.version))
    m.add(kOther, "apiVersions", "apiVersions " + list_text(rule.versions.names()));
  if (!rule.matches_operation(request)) m.add(kOther, "operations", "operations " + operations_text(rule));
  if (!rule.matches_scope(request, resource)) m.add(kOther, "scope", scope_text(rule));
  if (!rule.matches_name(request.name)) {
    std::string named =
        request.name.empty() ? ", while the request names none" : fmt::format(", not {}", request.name);
    m.add(kOther, "resourceNames", "resourceNames " + list_text(rule.names) + named);
  }
  return m;
}

class Mismatches {
 public:
  Mismatches(const Engine::Loaded& loaded, const AdmissionRequest& request)
      : loaded_(loaded),
        request_(request),
        scene_(scene_of(loaded, request, arena_)),
        asked_(fmt::format("{} of {}", operation_name(request.operation),
                           resource_text(request.resource, request.subresource))) {}

  std::vector<Mismatch> find() {
    bool exempt = exempt_from_policies(request_.resource);
    for (const LoadedPolicy& policy : loaded_.policies) {
      if (exempt) {
        add(policy, nullptr, "", fmt::format("policies never see {}", resource_text(request_.resource, {})));
      } else {
        look_at(policy);
      }
    }
    return std::move(out_);
  }

 private:
  void look_at(const LoadedPolicy& policy) {
    MatchOutcome match = policy.match.match(scene_);
    if (!match.error.empty()) return;
    if (!match.matches) return explain(policy, nullptr, policy.match, "matchConstraints");
    if (!policy.configuration_error.empty()) return;
    for (const PolicyBinding& binding : policy.bindings) {
      match = binding.match.match(scene_);
      if (!match.error.empty()) continue;
      if (match.matches) {
        look_at_params(policy, binding);
      } else {
        explain(policy, &binding, binding.match, "matchResources");
      }
    }
  }

  void explain(const LoadedPolicy& policy, const PolicyBinding* binding, const MatchRules& match,
               std::string_view where) {
    auto say = [&](std::string field, std::string text) {
      add(policy, binding, fmt::format("spec.{}.{}", where, field), std::move(text));
    };
    MatchOutcome resources = match.match_resources(scene_);
    if (!resources.matches && resources.error.empty()) {
      auto [field, text] = unmatched(match, where);
      return say(field, text);
    }
    if (match.match_excludes(scene_).matches) {
      auto [field, text] = excluded(match);
      return say(field, text);
    }
    if (!match.selects_namespace(scene_)) {
      const auto* unmet = match.namespace_selector().first_unmet(scene_.namespace_labels);
      std::string_view name = request_.namespace_name.empty() ? request_.name : request_.namespace_name;
      say("namespaceSelector" + place(*unmet),
          fmt::format("namespaceSelector: {} does not match labels of namespace {} {}", unmet->text(), name,
                      labels_text(scene_.namespace_labels)));
    }
    if (!match.selects_object(scene_)) {
      auto [field, text] = unselected(match.object_selector());
      say("objectSelector" + field, "objectSelector: " + text);
    }
  }

  // Field and text of the nearest rule.
  std::pair<std::string, std::string> unmatched(const MatchRules& match, std::string_view where) const {
    Misfit nearest;
    auto take = [&](Misfit m) {
      if (nearest.weight == 0 || m.weight < nearest.weight) nearest = std::move(m);
    };
    bool other_version = false;
    for (size_t i = 0; i < match.rules().size(); i++) {
      const ResourceRule& rule = match.rules()[i];
      take(misfit(rule, i, request_, request_.resource));
      for (const Equivalent& e : equivalents()) {
        Misfit m = misfit(rule, i, request_, e.resource);
        other_version |= m.weight == 0;
        if (match.equivalent()) take(std::move(m));
      }
    }
    std::string text = fmt::format("no rule of {} matches {}", where, asked_);
    text += match.rules().size() == 1 ? ": "
                                      : fmt::format("; the nearest, resourceRules[{}], has ", nearest.rule);
    text += nearest.texts;
    if (other_version) text += " (matchPolicy Exact: other versions of the resource do not count)";
    return {fmt::format("resourceRules[{}].{}", nearest.rule, nearest.field), text};
  }

  // Field and text of the rule that excludes the request.
  std::pair<std::string, std::string> excluded(const MatchRules& match) const {
    for (size_t i = 0; i < match.excludes().size(); i++) {
      const ResourceRule& rule = match.excludes()[i];
      std::string field = fmt::format("excludeResourceRules[{}]", i);
      if (misfit(rule, i, request_, request_.resource).weight == 0)
        return {field, fmt::format("{} matches {}", field, asked_)};
      for (const Equivalent& e : equivalents()) {
        if (!match.equivalent() || misfit(rule, i, request_, e.resource).weight != 0) continue;
        return {field, fmt::format("{} matches {} as {}", field, asked_,
                                   resource_text(e.resource, request_.subresource))};
      }
    }
    return {"excludeResourceRules", "excluded"};
  }

  // The equivalents of the request's resource.
  std::vector<Equivalent> equivalents() const {
    std::vector<Equivalent> out;
    if (scene_.equivalents == nullptr) return out;
    for (const Equivalent& e : *scene_.equivalents) {
      if (e.resource != request_.resource) out.push_back(e);
    }
    return out;
  }

  static std::string place(const LabelSelector::Requirement& r) {
    return r.expression < 0 ? fmt::format(".matchLabels[{}]", r.key)
                            : fmt::format(".matchExpressions[{}]", r.expression);
  }

  // Field below the selector, and text: the first requirement that the object and the old object do not meet.
  std::pair<std::string, std::string> unselected(const LabelSelector& selector) const {
    std::string field, text;
    auto look = [&](bool there, const Value& labels, std::string_view what) {
      const auto* unmet = there ? selector.first_unmet(labels) : nullptr;
      if (unmet == nullptr) return;
      if (field.empty()) field = place(*unmet);
      text += fmt::format("{}{} does not match labels of the {} {}", text.empty() ? "" : "; ", unmet->text(),
                          what, labels_text(labels));
    };
    look(scene_.has_object, scene_.object_labels, "object");
    look(scene_.has_old_object, scene_.old_object_labels, "old object");
    if (text.empty()) text = "the request has no object with metadata";
    return {field, text};
  }

  // Reports a binding that matches but finds no params.
  void look_at_params(const LoadedPolicy& policy, const PolicyBinding& binding) {
    std::vector<const Param*> params;
    ParamProblem problem = find_params(policy, binding, request_, params);
    if (!problem.text.empty() || !params.empty()) return;
    std::string kind;
    for (const auto& [name, store] : loaded_.params) {
      if (&store == policy.params) kind = name.substr(name.find("Kind=") + 5);
    }
    std::string_view space = param_namespace(policy, binding, request_);
    std::string where = space.empty() ? "" : fmt::format(" in namespace {}", space);
    const ParamReference& ref = binding.param;
    std::string text = ref.name.empty()
                           ? fmt::format("paramRef.selector selects no {}{}", kind, where)
                           : fmt::format("paramRef names {} {}{}, which is not there", kind, ref.name, where);
    add(policy, &binding, ref.name.empty() ? "spec.paramRef.selector" : "spec.paramRef.name",
        "no params found, and parameterNotFoundAction is Allow: " + text);
  }

  void add(const LoadedPolicy& policy, const PolicyBinding* binding, std::string field, std::string text) {
    std::string_view of = binding == nullptr ? std::string_view() : std::string_view(binding->name);
    out_.push_back({policy.name, of, std::move(field), std::move(text)});
  }

  const Engine::Loaded& loaded_;
  const AdmissionRequest& request_;
  Arena arena_;
  MatchScene scene_;
  std::string asked_;
  std::vector<Mismatch> out_;
};

}  // namespace

std::vector<Mismatch> mismatches(const Engine& engine, const AdmissionRequest& request) {
  return Mismatches(engine.loaded(), request).find();
}

}  // namespace portcullis
