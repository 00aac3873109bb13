// See param_scopes.h.
#include "cli/cluster/param_scopes.h"

#include <algorithm>
#include <set>

#include "admission/scalars/group_version.h"
#include "admission/scalars/spelling.h"
#include "cli/messages/messages.h"
#include "manifests/kind_words.h"

namespace portcullis {
namespace {

constexpr std::string_view kFlag = "--params-scope";

std::string_view scope_word(bool namespaced) { return namespaced ? "namespaced" : "cluster-scoped"; }

// Whether `word` of the command line names the kind: Kind, Kind.group or group/version/Kind.
bool names_kind(std::string_view word, std::string_view api_version, std::string_view kind) {
  const auto [group, version, well_formed] = split_api_version(api_version);
  return word == kind || word == std::string(kind) + "." + std::string(group) ||
         word == std::string(api_version) + "/" + std::string(kind);
}

}  // namespace

// "a.yaml:3:5 (a paramRef with a namespace)"
std::string ParamScopes::place(const Evidence& e) {
  Position at = e.object->locate(e.path, true);
  return e.object->file->name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + " (" +
         std::string(e.what) + ")";
}

ParamScopes::Custom* ParamScopes::custom(std::string_view group, std::string_view kind) {
  auto found =
      std::ranges::find_if(customs_, [&](const Custom& c) { return c.group == group && c.kind == kind; });
  return found == customs_.end() ? nullptr : &*found;
}

bool ParamScopes::find(const ReviewCluster& cluster, Lists objects, std::span<const std::string> stated,
                       Resources& resources) {
  find_kinds(cluster, resources);
  bool sound = true;
  for (const std::string& text : stated) sound = take_stated(text, objects, resources) && sound;
  find_references(cluster);
  find_objects(objects);
  for (const Custom& c : customs_) {
    if (!c.doubtful() && !c.contradictory()) resources.set_scope(c.group, c.kind, c.is_namespaced());
  }
  return sound;
}

void ParamScopes::find_kinds(const ReviewCluster& cluster, const Resources& resources) {
  for (const InputObject* policy : cluster.policies()) {
    const Value* named = param_kind(*policy);
    if (named == nullptr) continue;
    std::string_view api_version = text_member(*named, "apiVersion");
    Resource r = resources.find(api_version, text_member(*named, "kind"));
    if (r.availability != Availability::Guessed) continue;
    Custom* c = custom(r.group, r.kind);
    if (c == nullptr) {
      c = &customs_.emplace_back(Custom{.group = r.group, .kind = r.kind});
      c->given = resources.known_scope(r.group, r.kind);
    }
    c->policies.push_back(policy);
    if (std::ranges::count(c->api_versions, api_version) == 0) c->api_versions.emplace_back(api_version);
  }
}

void ParamScopes::find_references(const ReviewCluster& cluster) {
  for (const InputObject* binding : cluster.bindings()) {
    const Value* ref = find_path(binding->value, "spec.paramRef");
    if (ref == nullptr || !ref->is(Kind::Map)) continue;
    const InputObject* policy = cluster.policy(bound_policy(*binding), is_mutating(*binding));
    const Value* named = policy == nullptr ? nullptr : param_kind(*policy);
    if (named == nullptr) continue;
    const auto [group, version, well_formed] = split_api_version(text_member(*named, "apiVersion"));
    Custom* c = custom(group, text_member(*named, "kind"));
    if (c == nullptr) continue;
    c->referenced = true;
    bool spaced = !text_member(*ref, "namespace").empty();
    if (spaced && !c->namespaced)
      c->namespaced = Evidence{binding, "spec.paramRef.namespace", "a paramRef with a namespace"};
  }
}

void ParamScopes::find_objects(Lists lists) {
  for (const std::vector<InputObject>* objects : lists) {
    for (const InputObject& o : *objects) {
      bool recorded = role_of(o) == Role::Review;
      const Value* kind = recorded ? find_path(o.value, "request.kind") : nullptr;
      if (recorded && kind == nullptr) continue;
      Custom* c = recorded ? custom(text_member(*kind, "group"), text_member(*kind, "kind"))
                           : custom(o.group(), o.kind);
      if (c == nullptr) continue;
      const Value* space = find_path(o.value, recorded ? "request.namespace" : "metadata.namespace");
      bool inside = space != nullptr && space->is(Kind::String) && !space->as_text().empty();
      if (inside && !c->namespaced) {
        c->namespaced = recorded ? Evidence{&o, "request.namespace", "a recorded request in a namespace"}
                                 : Evidence{&o, "metadata.namespace", "an object with a namespace"};
      }
      if (recorded && !inside && !c->cluster)
        c->cluster = Evidence{&o, "request", "a recorded request without a namespace"};
    }
  }
}

// The kind of params or objects that `word` names; nothing, with the reason in `error`, if there is none.
std::optional<Resource> ParamScopes::stated_kind(std::string_view word, Lists lists,
                                                 const Resources& resources, std::string& error) const {
  std::set<std::pair<std::string, std::string>> all;
  for (const Custom& c : customs_) {
    for (const std::string& v : c.api_versions) all.emplace(v, c.kind);
  }
  for (const std::vector<InputObject>* objects : lists) {
    for (const InputObject& o : *objects) all.emplace(o.api_version, o.kind);
  }
  std::vector<std::string> names;
  std::optional<Resource> found;
  for (const auto& [api_version, kind] : all) {
    names.push_back(kind);
    if (!names_kind(word, api_version, kind)) continue;
    Resource r = resources.find(api_version, kind);
    if (found && found->group != r.group) {
      error = "there is " + kind_name(*found) + " and " + kind_name(r) + "; say which, as Kind.group";
      return std::nullopt;
    }
    found = r;
  }
  if (found) return found;
  std::string_view meant = nearest(word, names);
  error = "neither a policy's paramKind nor an object among the files is of this kind";
  if (!meant.empty()) error += "; did you mean " + std::string(meant) + "?";
  return std::nullopt;
}

bool ParamScopes::take_stated(const std::string& text, Lists lists, Resources& resources) {
  auto fail = [&](const std::string& why) {
    say(Severity::Error, {}, {}, std::string(kFlag) + " " + text + ": " + why);
    return false;
  };
  size_t sign = text.rfind('=');
  std::string_view word = std::string_view(text).substr(0, sign);
  std::string_view scope = sign == text.npos ? std::string_view() : std::string_view(text).substr(sign + 1);
  if (scope != "Cluster" && scope != "Namespaced") return fail("want KIND=Cluster or KIND=Namespaced");
  std::string error;
  std::optional<Resource> kind = stated_kind(word, lists, resources, error);
  if (!kind) return fail(error);
  bool namespaced = scope == "Namespaced";
  auto before = stated_.emplace(std::pair(kind->group, kind->kind), namespaced).first;
  if (before->second != namespaced) return fail("another " + std::string(kFlag) + " says the opposite");
  if (kind->availability != Availability::Guessed) {
    if (kind->namespaced == namespaced || !kind->exists()) return true;
    return fail(kind_name(*kind) + " is " + std::string(scope_word(kind->namespaced)));
  }
  if (Custom* c = custom(kind->group, kind->kind)) c->given = namespaced;
  resources.set_scope(kind->group, kind->kind, namespaced);
  return true;
}

std::vector<PolicyProblem> ParamScopes::problems(bool only_known) const {
  std::vector<PolicyProblem> out;
  for (const Custom& c : customs_) {
    if (!c.contradictory() && !only_known) continue;
    std::string text = only_known ? "no CustomResourceDefinition among the files has the paramKind " +
                                        c.api_versions[0] + " " + c.kind
                                  : c.name() + " is namespaced by " + place(*c.namespaced) +
                                        " and cluster-scoped by " + place(*c.cluster);
    std::string hint =
        only_known ? ""
                   : "say which it is: " + std::string(kFlag) + " " + c.name() + "=Cluster or =Namespaced";
    for (const InputObject* policy : c.policies) {
      Position at = policy->locate("spec.paramKind", true);
      out.push_back({policy, Severity::Error, "spec.paramKind", text, at, {}, hint});
      out.back().ours = true;
    }
  }
  return out;
}

void ParamScopes::say_notes(const Resources& resources) const {
  for (const Custom& c : customs_) {
    if (c.contradictory()) continue;
    Resource r = resources.find(c.api_versions[0], c.kind);
    std::string text =
        kind_name(r) + " is not a built-in kind and no CustomResourceDefinition is given; assumed to exist";
    const std::optional<Evidence>& why = c.namespaced ? c.namespaced : c.cluster;
    if (c.doubtful()) {
      text += ", cluster-scoped or namespaced: " + advice();
    } else if (c.given) {
      text += ", " + std::string(scope_word(*c.given));
    } else if (why) {
      text += ", " + std::string(scope_word(c.is_namespaced())) + " by " + place(*why);
    }
    std::string hint = kind_hint(r, resources);
    say(Severity::Note, c.policies[0]->file->name, c.policies[0]->locate("spec.paramKind", true),
        hint.empty() ? text : text + "; " + hint);
  }
}

std::vector<ParamKindInfo> ParamScopes::kinds(bool doubtful_namespaced) const {
  std::vector<ParamKindInfo> out;
  for (const Custom& c : customs_) {
    bool namespaced = c.doubtful() ? doubtful_namespaced : c.is_namespaced();
    for (const std::string& v : c.api_versions) out.push_back({v, c.kind, namespaced});
  }
  return out;
}

std::string ParamScopes::in_doubt() const {
  std::string out;
  for (const Custom& c : customs_) {
    if (c.doubtful()) out += (out.empty() ? "" : " and ") + c.name();
  }
  return out;
}

std::string ParamScopes::advice() const {
  std::string out;
  for (const Custom& c : customs_) {
    if (c.doubtful())
      out += (out.empty() ? "say " : ", ") + std::string(kFlag) + " " + c.name() + "=Cluster or =Namespaced";
  }
  return out;
}

}  // namespace portcullis
