// See missing_params.h.
#include "cli/cluster/missing_params.h"

#include <algorithm>
#include <string>

#include "admission/scalars/group_version.h"
#include "cli/messages/messages.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

struct Wanted {
  std::string_view api_version, group, kind, name, name_space;  // the last two may be empty: any
  bool among(const InputObject& o) const {
    return o.group() == group && o.kind == kind && (name.empty() || o.name == name) &&
           (name_space.empty() || o.namespace_name == name_space);
  }
};

std::string describe(const Wanted& w) {
  std::string text = "no " + std::string(w.api_version) + " " + std::string(w.kind);
  if (!w.name.empty()) text += " " + quote_json(w.name);
  if (!w.name_space.empty()) text += " of namespace " + quote_json(w.name_space);
  return text + " is among the files";
}

}  // namespace

void note_missing_params(const ReviewCluster& cluster) {
  for (const InputObject* binding : cluster.bindings()) {
    const Value* spec = find_member(binding->value, "spec");
    const Value* ref = spec == nullptr ? nullptr : find_member(*spec, "paramRef");
    if (ref == nullptr || text_member(*ref, "parameterNotFoundAction") != "Allow") continue;
    const InputObject* policy = cluster.policy(bound_policy(*binding), is_mutating(*binding));
    const Value* kind = policy == nullptr ? nullptr : param_kind(*policy);
    if (kind == nullptr) continue;
    Wanted w{text_member(*kind, "apiVersion"),
             {},
             text_member(*kind, "kind"),
             text_member(*ref, "name"),
             text_member(*ref, "namespace")};
    w.group = split_api_version(w.api_version).group;
    Resource r = cluster.resources().find(w.api_version, w.kind);
    // If a paramRef has a namespace but the kind is cluster-scoped, it is an error, and no param is searched.
    if (!r.exists() || (!r.namespaced && !w.name_space.empty())) continue;
    const InputObject* other = nullptr;  // at another version, which nothing converts here
    bool there = std::ranges::any_of(cluster.others(), [&](const InputObject* o) {
      if (!w.among(*o)) return false;
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

}  // namespace portcullis
