#include "manifests/undefined_params.h"

#include <algorithm>

#include "admission/scalars/group_version.h"
#include "admission/scalars/spelling.h"

namespace portcullis {
namespace {

std::vector<UndefinedKind> undefined_of(const GivenPolicies& policies, const Resources& resources) {
  std::vector<UndefinedKind> out;
  for (const InputObject* policy : policies.policies()) {
    const Value* named = param_kind(*policy);
    if (named == nullptr) continue;
    std::string_view api_version = text_member(*named, "apiVersion");
    Resource r = resources.find(api_version, text_member(*named, "kind"));
    if (r.availability != Availability::Guessed) continue;
    UndefinedKind* k = find_undefined(out, r.group, r.kind);
    if (k == nullptr) {
      k = &out.emplace_back(UndefinedKind{.group = r.group, .kind = r.kind});
      k->given = resources.known_scope(r.group, r.kind);
    }
    k->policies.push_back(policy);
    if (std::ranges::count(k->api_versions, api_version) == 0) k->api_versions.emplace_back(api_version);
  }
  return out;
}

void add_evidence(const GivenPolicies& policies, std::vector<UndefinedKind>& kinds) {
  for (const InputObject* binding : policies.bindings()) {
    const Value* ref = find_path(binding->value, "spec.paramRef");
    if (ref == nullptr || !ref->is(Kind::Map)) continue;
    const InputObject* policy = policies.policy_of(*binding);
    const Value* named = policy == nullptr ? nullptr : param_kind(*policy);
    if (named == nullptr) continue;
    const auto [group, version, well_formed] = split_api_version(text_member(*named, "apiVersion"));
    UndefinedKind* k = find_undefined(kinds, group, text_member(*named, "kind"));
    if (k == nullptr) continue;
    k->referenced.push_back(policy);
    if (!k->namespaced && !text_member(*ref, "namespace").empty())
      k->namespaced = {binding, "spec.paramRef.namespace", "a paramRef with a namespace"};
  }
}

void add_evidence(const std::vector<InputObject>& objects, std::vector<UndefinedKind>& kinds) {
  for (const InputObject& o : objects) {
    bool recorded = role_of(o) == Role::Review;
    const Value* kind = recorded ? find_path(o.value, "request.kind") : nullptr;
    if (recorded && kind == nullptr) continue;
    UndefinedKind* k = recorded
                           ? find_undefined(kinds, text_member(*kind, "group"), text_member(*kind, "kind"))
                           : find_undefined(kinds, o.group(), o.kind);
    if (k == nullptr) continue;
    const Value* space = find_path(o.value, recorded ? "request.namespace" : "metadata.namespace");
    bool inside = space != nullptr && space->is(Kind::String) && !space->as_text().empty();
    if (inside && !k->namespaced) {
      k->namespaced = recorded ? ScopeEvidence{&o, "request.namespace", "a recorded request in a namespace"}
                               : ScopeEvidence{&o, "metadata.namespace", "an object with a namespace"};
    }
    if (recorded && !inside && !k->cluster)
      k->cluster = {&o, "request", "a recorded request without a namespace"};
  }
}

// Whether `word` of the command line names the kind: Kind, Kind.group or group/version/Kind.
bool names_kind(std::string_view word, std::string_view api_version, std::string_view kind) {
  const auto [group, version, well_formed] = split_api_version(api_version);
  return word == kind || word == std::string(kind) + "." + std::string(group) ||
         word == std::string(api_version) + "/" + std::string(kind);
}

}  // namespace

NamedKinds named_kinds(std::span<const InputObject> objects) {
  NamedKinds out;
  for (const InputObject& o : objects) {
    out.emplace(o.api_version, o.kind);
    if (const Value* named = param_kind(o))
      out.emplace(text_member(*named, "apiVersion"), text_member(*named, "kind"));
  }
  return out;
}

Result<StatedScope> read_stated_scope(std::string_view text, const NamedKinds& kinds) {
  const size_t sign = text.rfind('=');
  const std::string_view word = text.substr(0, sign),
                         scope = sign == text.npos ? std::string_view() : text.substr(sign + 1);
  if (scope != "Cluster" && scope != "Namespaced") return Error{"want KIND=Cluster or KIND=Namespaced"};
  std::vector<std::string> names;
  std::optional<StatedScope> found;
  for (const auto& [api_version, kind] : kinds) {
    names.push_back(kind);
    if (!names_kind(word, api_version, kind)) continue;
    if (found && split_api_version(found->api_version).group != split_api_version(api_version).group) {
      return Error{"there is " + found->api_version + " " + found->kind + " and " + api_version + " " + kind +
                   "; say which, as Kind.group"};
    }
    found = {api_version, kind, scope == "Namespaced"};
  }
  if (found) return *found;
  const std::string_view meant = nearest(word, names);
  return Error{"neither a policy's paramKind nor an object among the files is of this kind" +
               (meant.empty() ? "" : "; " + did_you_mean(meant))};
}

UndefinedKind* find_undefined(std::vector<UndefinedKind>& kinds, std::string_view group,
                              std::string_view kind) {
  auto found =
      std::ranges::find_if(kinds, [&](const UndefinedKind& k) { return k.group == group && k.kind == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

std::vector<UndefinedKind> undefined_param_kinds(const GivenPolicies& policies,
                                                 std::span<std::vector<InputObject>* const> objects,
                                                 const Resources& resources) {
  std::vector<UndefinedKind> out = undefined_of(policies, resources);
  add_evidence(policies, out);
  for (const std::vector<InputObject>* some : objects) add_evidence(*some, out);
  return out;
}

}  // namespace portcullis
