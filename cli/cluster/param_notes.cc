// See param_notes.h.
#include "cli/cluster/param_notes.h"

#include <array>
#include <map>
#include <set>
#include <string_view>

#include "cli/messages/messages.h"
#include "manifests/missing_params.h"

namespace portcullis {

void note_missing_params(const ReviewCluster& cluster) {
  for (const MissingParams& m :
       missing_params(cluster, cluster.others(), cluster.resources(), "is among the files"))
    say(Severity::Note, m.binding->file->name, m.binding->locate("spec.paramRef", true), m.text);
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
