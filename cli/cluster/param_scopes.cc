// See param_scopes.h.
#include "cli/cluster/param_scopes.h"

#include "cli/messages/messages.h"
#include "manifests/kind_words.h"

namespace portcullis {
namespace {

constexpr std::string_view kFlag = "--params-scope";

std::string_view scope_word(bool namespaced) { return namespaced ? "namespaced" : "cluster-scoped"; }

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

bool ParamScopes::take_stated(const std::string& text, Lists lists, Resources& resources) {
  auto fail = [&](const std::string& why) {
    say(Severity::Error, {}, {}, std::string(kFlag) + " " + text + ": " + why);
    return false;
  };
  NamedKinds all;
  for (const std::vector<InputObject>* objects : lists) all.merge(named_kinds(*objects));
  Result<StatedScope> stated = read_stated_scope(text, all);
  if (!stated.ok()) return fail(stated.error().text);
  const Resource found = resources.find(stated->api_version, stated->kind), *kind = &found;
  const bool namespaced = stated->namespaced;
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
