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

// "a.yaml:3:5 (a paramRef with a namespace)"
std::string evidence_place(const ScopeEvidence& e) {
  Position at = e.object->locate(e.path, true);
  return e.object->file->name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + " (" +
         std::string(e.what) + ")";
}

std::string name_of(const UndefinedKind& k) { return k.kind + "." + k.group; }
bool is_contradictory(const UndefinedKind& k) { return !k.given && k.namespaced && k.cluster; }
bool is_doubtful(const UndefinedKind& k) {
  return !k.referenced.empty() && !k.given && !k.namespaced && !k.cluster;
}
bool is_namespaced(const UndefinedKind& k) { return k.given.value_or(k.namespaced.has_value()); }

}  // namespace

bool ParamScopes::find(const ReviewCluster& cluster, Lists objects, std::span<const std::string> stated,
                       Resources& resources) {
  kinds_ = undefined_param_kinds(cluster, objects, resources);
  bool sound = true;
  for (const std::string& text : stated) sound = take_stated(text, objects, resources) && sound;
  for (const UndefinedKind& k : kinds_) {
    if (!is_doubtful(k) && !is_contradictory(k)) resources.set_scope(k.group, k.kind, is_namespaced(k));
  }
  return sound;
}

// The kind of params or objects that `word` names; nothing, with the reason in `error`, if there is none.
std::optional<Resource> ParamScopes::stated_kind(std::string_view word, Lists lists,
                                                 const Resources& resources, std::string& error) const {
  std::set<std::pair<std::string, std::string>> all;
  for (const UndefinedKind& c : kinds_) {
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
  if (!meant.empty()) error += "; " + did_you_mean(meant);
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
  if (UndefinedKind* c = find_undefined(kinds_, kind->group, kind->kind)) c->given = namespaced;
  resources.set_scope(kind->group, kind->kind, namespaced);
  return true;
}

std::vector<PolicyProblem> ParamScopes::problems(bool only_known) const {
  std::vector<PolicyProblem> out;
  for (const UndefinedKind& c : kinds_) {
    if (!is_contradictory(c) && !only_known) continue;
    std::string text = only_known ? "no CustomResourceDefinition among the files has the paramKind " +
                                        c.api_versions[0] + " " + c.kind
                                  : name_of(c) + " is namespaced by " + evidence_place(*c.namespaced) +
                                        " and cluster-scoped by " + evidence_place(*c.cluster);
    std::string hint =
        only_known ? ""
                   : "say which it is: " + std::string(kFlag) + " " + name_of(c) + "=Cluster or =Namespaced";
    for (const InputObject* policy : c.policies) {
      Position at = policy->locate("spec.paramKind", true);
      out.push_back({policy, Severity::Error, "spec.paramKind", text, at, {}, hint});
      out.back().ours = true;
    }
  }
  return out;
}

void ParamScopes::say_notes(const Resources& resources) const {
  for (const UndefinedKind& c : kinds_) {
    if (is_contradictory(c)) continue;
    Resource r = resources.find(c.api_versions[0], c.kind);
    std::string text =
        kind_name(r) + " is not a built-in kind and no CustomResourceDefinition is given; assumed to exist";
    const std::optional<ScopeEvidence>& why = c.namespaced ? c.namespaced : c.cluster;
    if (is_doubtful(c)) {
      text += ", cluster-scoped or namespaced: " + advice();
    } else if (c.given) {
      text += ", " + std::string(scope_word(*c.given));
    } else if (why) {
      text += ", " + std::string(scope_word(is_namespaced(c))) + " by " + evidence_place(*why);
    }
    std::string hint = kind_hint(r, resources);
    say(Severity::Note, c.policies[0]->file->name, c.policies[0]->locate("spec.paramKind", true),
        hint.empty() ? text : text + "; " + hint);
  }
}

std::vector<ParamKindInfo> ParamScopes::kinds(bool doubtful_namespaced) const {
  std::vector<ParamKindInfo> out;
  for (const UndefinedKind& c : kinds_) {
    bool namespaced = is_doubtful(c) ? doubtful_namespaced : is_namespaced(c);
    for (const std::string& v : c.api_versions) out.push_back({v, c.kind, namespaced});
  }
  return out;
}

std::string ParamScopes::in_doubt() const {
  std::string out;
  for (const UndefinedKind& c : kinds_) {
    if (is_doubtful(c)) out += (out.empty() ? "" : " and ") + name_of(c);
  }
  return out;
}

std::string ParamScopes::advice() const {
  std::string out;
  for (const UndefinedKind& c : kinds_) {
    if (is_doubtful(c))
      out +=
          (out.empty() ? "say " : ", ") + std::string(kFlag) + " " + name_of(c) + "=Cluster or =Namespaced";
  }
  return out;
}

}  // namespace portcullis
