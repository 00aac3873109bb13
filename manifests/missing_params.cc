// See missing_params.h.
#include "manifests/missing_params.h"

#include <algorithm>

#include "admission/scalars/group_version.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

std::string describe_missing(const ParamsOfBinding& w, std::string_view otherwise) {
  std::string text = "no " + std::string(w.api_version) + " " + std::string(w.kind);
  if (!w.name.empty()) text += " " + quote_json(w.name);
  if (!w.name_space.empty()) text += " of namespace " + quote_json(w.name_space);
  return text.append(" ").append(otherwise);
}

}  // namespace

bool ParamsOfBinding::has(const InputObject& o) const {
  return o.group() == group && o.kind == kind && (name.empty() || o.name == name) &&
         (name_space.empty() || o.namespace_name == name_space);
}

std::optional<ParamsOfBinding> params_of(const GivenPolicies& given, const InputObject& binding) {
  const Value* spec = find_member(binding.value, "spec");
  const Value* ref = spec == nullptr ? nullptr : find_member(*spec, "paramRef");
  const InputObject* policy = given.policy_of(binding);
  const Value* kind = policy == nullptr ? nullptr : param_kind(*policy);
  if (ref == nullptr || kind == nullptr) return std::nullopt;
  const std::string_view api_version = text_member(*kind, "apiVersion");
  return ParamsOfBinding{.api_version = api_version,
                         .group = split_api_version(api_version).group,
                         .kind = text_member(*kind, "kind"),
                         .name = text_member(*ref, "name"),
                         .name_space = text_member(*ref, "namespace"),
                         .ref = ref};
}

std::vector<MissingParams> missing_params(const GivenPolicies& given,
                                          std::span<const InputObject* const> objects,
                                          const Resources& resources, std::string_view otherwise) {
  std::vector<MissingParams> out;
  for (const InputObject* binding : given.bindings()) {
    const std::optional<ParamsOfBinding> found = params_of(given, *binding);
    if (!found || text_member(*found->ref, "parameterNotFoundAction") != "Allow") continue;
    const ParamsOfBinding& w = *found;
    const Resource r = resources.find(w.api_version, w.kind);
    // If a paramRef has a namespace but the kind is cluster-scoped, it is an error, and no param is searched.
    if (!r.exists() || (!r.namespaced && !w.name_space.empty())) continue;
    const InputObject* other = nullptr;  // at another version, which nothing converts here
    const bool there = std::ranges::any_of(objects, [&](const InputObject* o) {
      if (!w.has(*o)) return false;
      if (o->api_version != w.api_version) other = o;
      return o->api_version == w.api_version;
    });
    if (there) continue;
    std::string text = describe_missing(w, otherwise);
    if (other != nullptr) text += ", only one of " + std::string(other->api_version);
    text += "; where it is missing, the policy does not apply (parameterNotFoundAction is Allow)";
    out.push_back({binding, std::move(text)});
  }
  return out;
}

}  // namespace portcullis
