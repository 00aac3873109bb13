// See missing_params.h.
#include "cli/cluster/missing_params.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "admission/scalars/group_version.h"
#include "cli/messages/messages.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

std::string describe(const ParamsOfBinding& w) {
  std::string text = "no " + std::string(w.api_version) + " " + std::string(w.kind);
  if (!w.name.empty()) text += " " + quote_json(w.name);
  if (!w.name_space.empty()) text += " of namespace " + quote_json(w.name_space);
  return text + " is among the files";
}

}  // namespace

bool ParamsOfBinding::has(const InputObject& o) const {
  return o.group() == group && o.kind == kind && (name.empty() || o.name == name) &&
         (name_space.empty() || o.namespace_name == name_space);
}

std::optional<ParamsOfBinding> params_of(const ReviewCluster& cluster, const InputObject& binding) {
  const Value* spec = find_member(binding.value, "spec");
  const Value* ref = spec == nullptr ? nullptr : find_member(*spec, "paramRef");
  const InputObject* policy = cluster.policy_of(binding);
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

void note_missing_params(const ReviewCluster& cluster) {
  for (const InputObject* binding : cluster.bindings()) {
    const std::optional<ParamsOfBinding> found = params_of(cluster, *binding);
    if (!found || text_member(*found->ref, "parameterNotFoundAction") != "Allow") continue;
    const ParamsOfBinding& w = *found;
    Resource r = cluster.resources().find(w.api_version, w.kind);
    // If a paramRef has a namespace but the kind is cluster-scoped, it is an error, and no param is searched.
    if (!r.exists() || (!r.namespaced && !w.name_space.empty())) continue;
    const InputObject* other = nullptr;  // at another version, which nothing converts here
    bool there = std::ranges::any_of(cluster.others(), [&](const InputObject* o) {
      if (!w.has(*o)) return false;
      if (o->api_version != w.api_version) other = o;
      return o->api_version == w.api_version;
    });
    if (there) continue;
    std::string text = describe(w);
    if (other != nullptr) text += ", only one of " + std::string(other->api_version);
    say(Severity::Note, binding->file->name, binding->locate("spec.paramRef", true),
        text + "; where it is missing, the policy does not apply (parameterNotFoundAction is Allow)");
  }
}

void note_reviewed_params(const ReviewCluster& cluster) {
  if (!cluster.apart()) return;
  using Key =
      std::array<std::string_view, 4>;  // apiVersion, kind, namespace, name; the last two may be empty: any
  std::map<Key, const InputObject*> wanted;  // by bindings
  for (const InputObject* binding : cluster.bindings()) {
    if (const auto w = params_of(cluster, *binding))
      wanted.try_emplace({w->api_version, w->kind, w->name_space, w->name}, binding);
  }
  if (wanted.empty()) return;
  std::set<Key> given;
  for (const auto* list : {&cluster.held(), &cluster.former()}) {
    for (const InputObject* o : *list) given.insert({o->api_version, o->kind, o->namespace_name, o->name});
  }
  for (const InputObject* o : cluster.reviewed()) {
    if (given.contains({o->api_version, o->kind, o->namespace_name, o->name})) continue;
    for (std::string_view space : {o->namespace_name, std::string_view()}) {
      for (std::string_view name : {o->name, std::string_view()}) {
        const auto found = wanted.find({o->api_version, o->kind, space, name});
        if (found == wanted.end()) continue;
        say(Severity::Note, o->file->name, o->locate(""),
            "manifests under review count as params where the files of the cluster lack them, such as this " +
                std::string(o->kind) + ", which the binding " + std::string(found->second->name) +
                " may take");
        return;
      }
    }
  }
}

}  // namespace portcullis
