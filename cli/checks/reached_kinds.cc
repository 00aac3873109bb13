// See reached_kinds.h.
#include "cli/checks/reached_kinds.h"

#include <algorithm>

#include "admission/crd/merging.h"
#include "admission/matching/matching.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

std::vector<std::string> texts_of_rule(const Value& rule, std::string_view name) {
  std::vector<std::string> out;
  const Value* list = find_member(rule, name, Kind::List);
  if (list == nullptr) return out;
  for (const Value& v : list->as_list()) {
    if (v.is(Kind::String)) out.emplace_back(v.as_text());
  }
  return out;
}

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::any_of(list, [&](const std::string& s) { return s == word || s == "*"; });
}

struct Rule {
  explicit Rule(const Value& rule)
      : groups(texts_of_rule(rule, "apiGroups")),
        versions(texts_of_rule(rule, "apiVersions")),
        resources(texts_of_rule(rule, "resources")),
        scope(text_member(rule, "scope")),
        named(!texts_of_rule(rule, "resourceNames").empty()) {
    for (const std::string& o : texts_of_rule(rule, "operations")) {
      for (Operation one : {Operation::Create, Operation::Update, Operation::Connect}) {
        if (o == "*" || o == operation_name(one)) operations |= operation_bit(one);
      }
    }
  }

  bool fits(const Served& s) const {
    if (!has(groups, s.group) || !has(versions, s.version)) return false;
    if (scope == (s.namespaced ? "Cluster" : "Namespaced")) return false;
    return std::ranges::any_of(resources, [&](const std::string& r) {
      size_t slash = r.find('/');
      std::string_view name = std::string_view(r).substr(0, slash);
      std::string_view sub = slash == r.npos ? std::string_view() : std::string_view(r).substr(slash + 1);
      return (name == "*" || name == s.resource) && (sub == "*" || sub == s.subresource);
    });
  }

  std::vector<std::string> groups, versions, resources;
  std::string scope;
  bool named;
  uint8_t operations = 0;
};

// A schema with only the fields that all resources have.
const ownership::MergeType& any_resource() {
  static const crd::Schema schema = [] {
    crd::Schema made;
    made.type = "object";
    made.preserve_unknown_fields = true;
    return made;
  }();
  static const crd::MergeTypes types(schema);
  return types.root();
}

class Reach {
 public:
  Reach(const InputObject& policy, const Resources& resources,
        const std::vector<std::shared_ptr<const crd::Definition>>& definitions)
      : policy_(policy), served_(resources.served()), definitions_(definitions) {}

  ReachedKinds run() {
    const Value* constraints = find_path(policy_.value, "spec.matchConstraints");
    if (constraints == nullptr || !constraints->is(Kind::Map)) return {};
    for (const Value& e : list_of(*constraints, "excludeResourceRules")) excluded_.emplace_back(e);
    size_t i = 0;
    for (const Value& r : list_of(*constraints, "resourceRules")) {
      if (r.is(Kind::Map)) add(Rule(r), "spec.matchConstraints.resourceRules[" + std::to_string(i) + "]");
      i++;
    }
    return std::move(out_);
  }

 private:
  static std::span<const Value> list_of(const Value& map, std::string_view name) {
    const Value* list = find_member(map, name, Kind::List);
    return list == nullptr ? std::span<const Value>() : list->as_list();
  }

  static bool is_exempt(const Served& s) { return exempt_from_policies({s.group, s.version, s.resource}); }

  void add(const Rule& rule, const std::string& path) {
    for (const Served& s : served_) {
      uint8_t operations = s.operations & rule.operations;
      if (operations == 0 || !rule.fits(s) || is_exempt(s)) continue;
      bool excluded = std::ranges::any_of(excluded_, [&](const Rule& e) {
        return !e.named && (operations & ~e.operations) == 0 && e.fits(s);
      });
      if (!excluded) add(s);
    }
    if (rule.operations == 0) return;
    if (std::ranges::find(rule.groups, "*") != rule.groups.end()) return add_any();
    for (const std::string& group : rule.groups) {
      if (Resources::is_closed(group)) continue;
      for (const std::string& resource : rule.resources) {
        if (resource.find('*') != resource.npos) {
          add_any();
        } else if (std::ranges::none_of(served_, [&](const Served& s) {
                     return s.group == group && name_of(s) == resource;
                   })) {
          out_.unknown.push_back({resource + "." + group, path + ".resources"});
        }
      }
    }
  }

  ReachedKind& make(std::string_view group, std::string_view version, std::string_view kind) {
    ReachedKind& made = out_.kinds.emplace_back();
    made.group = group;
    made.version = version;
    made.kind = kind;
    return made;
  }

  void add(const Served& s) {
    bool known = std::ranges::any_of(out_.kinds, [&](const ReachedKind& k) {
      return k.group == s.body_group && k.version == s.body_version && k.kind == s.body_kind &&
             k.resource == s.resource;
    });
    if (known) return;
    ReachedKind& made = make(s.body_group, s.body_version, s.body_kind);
    made.resource = s.resource;
    made.schema = patching::builtin_kind(made.group, made.version, made.kind, true);
    for (const auto& definition : definitions_) {
      if (definition->group == made.group && definition->kind == made.kind &&
          definition->serves(made.version))
        made.schema = patching::custom_kind(*definition, made.version);
    }
    if (made.schema.handling == patching::Handling::Unknown) out_.kinds.pop_back();
  }

  // Adds a kind that stands for any custom resource.
  void add_any() {
    if (std::ranges::any_of(out_.kinds, [](const ReachedKind& k) { return k.kind.empty(); })) return;
    make("", "", "").schema = {
        .handling = patching::Handling::Plain, .type = &any_resource(), .published = true};
  }

  const InputObject& policy_;
  std::vector<Served> served_;
  const std::vector<std::shared_ptr<const crd::Definition>>& definitions_;
  std::vector<Rule> excluded_;
  ReachedKinds out_;
};

}  // namespace

ReachedKinds reached_kinds(const InputObject& policy, const Resources& resources,
                           const std::vector<std::shared_ptr<const crd::Definition>>& definitions) {
  return Reach(policy, resources, definitions).run();
}

}  // namespace portcullis
