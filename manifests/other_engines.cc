// See other_engines.h.
#include "manifests/other_engines.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace portcullis {
namespace {

constexpr size_t kMostNamed = 4;  // kinds

bool has_suffix_group(std::string_view group, std::string_view owner) {
  return group == owner || (group.ends_with(owner) && group[group.size() - owner.size() - 1] == '.');
}

// The engine that an API group belongs to; empty: none that is known.
std::string_view engine_of(std::string_view group) {
  if (has_suffix_group(group, "kyverno.io")) return "Kyverno";
  if (has_suffix_group(group, "gatekeeper.sh")) return "Gatekeeper";
  return {};
}

// The kind of Kubernetes that one of policies.kyverno.io was made after; empty: there is none.
std::string_view model_of(const InputObject& o) {
  if (o.group() != "policies.kyverno.io") return {};
  if (o.kind.ends_with("MutatingPolicy")) return "MutatingAdmissionPolicy";
  if (o.kind.ends_with("ValidatingPolicy") && !o.kind.starts_with("Image"))
    return "ValidatingAdmissionPolicy";
  return {};
}

}  // namespace

std::string other_engines_hint(std::span<const InputObject> objects) {
  std::vector<std::string> found;
  std::string nearly;
  for (const InputObject& o : objects) {
    const std::string_view engine = engine_of(o.group());
    if (engine.empty()) continue;
    std::string name =
        std::string(o.kind) + " (" + std::string(o.api_version) + ", " + std::string(engine) + ")";
    if (std::ranges::count(found, name) == 0) found.push_back(std::move(name));
    const std::string_view model = model_of(o);
    if (!nearly.empty() || model.empty()) continue;
    nearly = "; a " + std::string(o.kind) + " is nearly a " + std::string(model) + ": change apiVersion to " +
             "admissionregistration.k8s.io/v1 and kind to " + std::string(model) +
             ", remove what only Kyverno has, such as spec.evaluation and spec.autogen, and add a " +
             std::string(model) + "Binding";
  }
  if (found.empty()) return {};
  std::string out = "found: ";
  for (size_t i = 0; i < std::min(found.size(), kMostNamed); i++)
    out.append(i == 0 ? "" : ", ").append(found[i]);
  if (found.size() > kMostNamed) out += " and " + std::to_string(found.size() - kMostNamed) + " more kinds";
  return out + "; of policies, only those of admissionregistration.k8s.io are read" + nearly;
}

std::optional<OtherEngines> other_engines(std::span<const InputObject> objects, const GivenPolicies& given) {
  const InputObject* first = nullptr;
  std::vector<InputObject> others;
  for (const InputObject& o : objects) {
    if (engine_of(o.group()).empty() || given.is_param_kind(o)) continue;
    if (first == nullptr) first = &o;
    others.push_back(o);
  }
  if (first == nullptr) return std::nullopt;
  return OtherEngines{first, "policies of other engines decide nothing here", other_engines_hint(others)};
}

}  // namespace portcullis
