// See kind_problems.h.
#include "cli/cluster/kind_problems.h"

#include <map>

#include "admission/builtin/normalize.h"
#include "cli/cluster/contradictions.h"
#include "cli/cluster/crd.h"
#include "cli/messages/messages.h"
#include "cli/reading/unknown_fields.h"
#include "cli/reading/unquoted.h"
#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "manifests/kind_words.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

class KindProblems {
 public:
  KindProblems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out)
      : cluster_(cluster), resources_(cluster.resources()), out_(out) {}

  void add_all() {
    for (const InputObject* o : cluster_.held()) add_missing(*o) || add_undecodable(*o) || add_unfitting(*o);
    Resources former;  // of the former definitions, which may serve a version that the change drops
    for (const InputObject* o : cluster_.former()) {
      if (role_of(*o) == Role::Definition) former.add_definition(o->value);
    }
    for (const InputObject* o : cluster_.former()) {
      Resource r = resources_.find(o->api_version, o->kind);
      bool body = !subresource_taking(r, resources_).empty();  // a former state of a subresource
      bool served = former.find(o->api_version, o->kind).availability == Availability::Served;
      if (!body && !served) add_missing(*o);
    }
    for (auto* list : {&cluster_.policies(), &cluster_.bindings(), &cluster_.configurations()}) {
      for (const InputObject* o : *list) {
        Resource r = resources_.find(o->api_version, o->kind);
        if (r.availability == Availability::Gone)
          add(*o, "apiVersion", false, Severity::Warning, no_match(r), hint(r));
      }
    }
    for (auto* list : {&cluster_.policies(), &cluster_.configurations()}) {
      for (const InputObject* o : *list) add_param_kind(*o);
    }
    for (const InputObject* o : cluster_.bindings()) add_param_namespace(*o);
    add_contradictions();
    for (auto* list : {&cluster_.held(), &cluster_.reviewed()}) add_name_conflicts(*list);
  }

 private:
  // `key`: the position of the field's name.
  void add(const InputObject& o, std::string path, bool key, Severity severity, std::string text,
           std::string hint) {
    Position at = o.locate(path, key);
    out_.push_back({&o, severity, std::move(path), std::move(text), at, {}, std::move(hint)});
  }
  std::string hint(const Resource& r) const { return kind_hint(r, resources_); }

  bool add_missing(const InputObject& o) {
    Resource r = resources_.find(o.api_version, o.kind);
    if (r.exists() || is_astray(o)) return false;
    add(o, r.availability == Availability::Gone ? "apiVersion" : "kind", false, Severity::Error, no_match(r),
        hint(r));
    return true;
  }

  // A former state that does not decode only refuses the request that it belongs to (request.h).
  bool add_undecodable(const InputObject& o) {
    if (!cluster_.typed_params || role_of(o) == Role::Definition || !builtin::is_builtin(o.value))
      return false;
    Arena scratch;
    builtin::Normalized made = builtin::param_object(scratch, o.value);
    if (made.error.empty()) return false;
    Resource r = resources_.find(o.api_version, o.kind);
    add(o, made.error_path, false, Severity::Error,
        cannot_be_handled({r.group, r.version, r.kind}, made.error),
        unquoted_hint(o, made.error_path, made.error));
    return true;
  }

  // Reports a param with unknown fields, or one that its definition refuses: no server has such an object.
  bool add_unfitting(const InputObject& o) {
    if (!cluster_.typed_params || !cluster_.is_param_kind(o)) return false;
    Arena scratch;
    auto add_unknown = [&](const std::vector<builtin::UnknownField>& fields) {
      for (const builtin::UnknownField& f : fields)
        add(o, f.path, true, Severity::Warning, unknown_field(f), unknown_field_hint(f));
    };
    if (builtin::is_builtin(o.value)) {
      std::vector<builtin::UnknownField> unknown;
      builtin::DecodeOptions options;
      options.unknown = &unknown;
      builtin::normalize(scratch, o.value, options);
      add_unknown(unknown);
      return true;
    }
    if (cluster_.definitions == nullptr) return false;
    std::optional<CustomOutcome> outcome = cluster_.definitions->stored(o, scratch);
    if (!outcome) {
      auto refused = cluster_.definitions->refused(o);
      if (refused) add(o, "kind", false, Severity::Error, refused->text, refused->hint);
      return refused.has_value();
    }
    add_unknown(outcome->unfitting);
    for (const CustomOutcome::Error& e : outcome->errors_of(o))
      add(o, e.path, false, Severity::Error, e.text, e.hint);
    return true;
  }

  // Reports a paramKind that does not exist: the API server stores the policy but cannot apply it.
  void add_param_kind(const InputObject& policy) {
    const Value* kind = param_kind(policy);
    if (kind == nullptr) return;
    Resource r = resources_.find(text_member(*kind, "apiVersion"), text_member(*kind, "kind"));
    bool named = !r.version.empty() && !r.kind.empty();  // check_object reports the rest
    bool near = r.availability == Availability::Guessed && resources_.defines_group(r.group);
    if (!named || (r.exists() && !near)) return;
    std::string help = hint(r);
    if (near && help.empty()) return;
    std::string text =
        near ? "no CustomResourceDefinition among the files has the paramKind " + kind_name(r)
             : "failed to configure policy: failed to find resource referenced by paramKind: '" + r.group +
                   "/" + r.version + ", Kind=" + r.kind + "'";
    add(policy, "spec.paramKind", true, Severity::Warning, std::move(text), std::move(help));
    out_.back().ours = true;
  }

  // Reports copies of an object that differ: the last one counts.
  void add_contradictions() {
    const Contradictions contradictions(cluster_);
    for (const Contradictions::Found& f : contradictions.all()) {
      add(*f.counts, "metadata.name", false, Severity::Warning, f.text(), {});
      out_.back().ours = true;
    }
  }

  // A name of a definition, which no other one of its group may have: among kinds, or among resources.
  struct Name {
    std::string_view reason, path;
    std::string name;
    bool of_kind = false;
  };
  // `names`: spec.names of a definition. In the server's order.
  static std::vector<Name> names_of(const Value& names) {
    const std::string kind(text_member(names, "kind"));
    const auto or_default = [&](std::string_view name, const std::string& fallback) {
      const std::string given(text_member(names, name));
      return given.empty() ? fallback : given;
    };
    std::vector<Name> out{
        {"PluralConflict", "spec.names.plural", or_default("plural", "")},
        {"SingularConflict", "spec.names.singular", or_default("singular", lower_case(kind))}};
    if (const Value* list = find_path(names, "shortNames"); list != nullptr && list->is(Kind::List)) {
      for (const Value& v : list->as_list()) {
        if (v.is(Kind::String))
          out.push_back({"ShortNamesConflict", "spec.names.shortNames", std::string(v.as_text())});
      }
    }
    out.push_back({"KindConflict", "spec.names.kind", kind, true});
    out.push_back({"ListKindConflict", "spec.names.listKind", or_default("listKind", kind + "List"), true});
    return out;
  }

  // Reports a definition with a name that another one of its group has: a server stores it, but does not establish it.
  void add_name_conflicts(const std::vector<const InputObject*>& objects) {
    using Owners = std::map<std::string, const InputObject*>;
    std::map<std::string_view, std::array<Owners, 2>>
        groups;  // each with the owners of resources and of kinds
    for (const InputObject* o : objects) {
      const Value* names = find_path(o->value, "spec.names");
      const Value* group = find_path(o->value, "spec.group");
      if (role_of(*o) != Role::Definition || names == nullptr || group == nullptr || !group->is(Kind::String))
        continue;
      std::array<Owners, 2>& taken = groups[group->as_text()];
      const std::vector<Name> all = names_of(*names);
      const Name* conflict = nullptr;  // the server's condition names the last one
      const InputObject* other = nullptr;
      for (const Name& n : all) {
        const Owners& owners = taken[n.of_kind ? 1 : 0];
        const auto found = owners.find(n.name);
        if (found != owners.end() && found->second->name != o->name) conflict = &n, other = found->second;
      }
      if (conflict != nullptr) {
        add(*o, std::string(conflict->path), true, Severity::Warning,
            "the API server stores this CustomResourceDefinition, but does not establish it: " +
                std::string(conflict->reason) + ": " + quote(conflict->name) + " is already in use",
            std::string(other->name) + " has it, at " +
                place_text(other->file->name, other->locate("spec.names", true)));
        out_.back().ours = true;
      }
      for (const Name& n : all) {
        if (!n.name.empty()) taken[n.of_kind ? 1 : 0].try_emplace(n.name, o);
      }
    }
  }

  // Reports a paramRef with a namespace where params have none: every request that matches is an error.
  void add_param_namespace(const InputObject& binding) {
    const Value* space = find_path(binding.value, "spec.paramRef.namespace");
    if (space == nullptr || !space->is(Kind::String) || space->size() == 0) return;
    const InputObject* policy = cluster_.policy_of(binding);
    const Value* kind = policy == nullptr ? nullptr : param_kind(*policy);
    if (kind == nullptr) return;
    const Resource r = resources_.find(text_member(*kind, "apiVersion"), text_member(*kind, "kind"));
    if (!r.exists() || r.namespaced || r.availability == Availability::Guessed) return;
    add(binding, "spec.paramRef.namespace", true, Severity::Warning,
        "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped "
        "`paramKind`",
        kind_name(r) + " has no namespace");
    out_.back().ours = true;
  }

  const ReviewCluster& cluster_;
  const Resources& resources_;
  std::vector<PolicyProblem>& out_;
};

}  // namespace

void add_kind_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out) {
  KindProblems(cluster, out).add_all();
}

}  // namespace portcullis
