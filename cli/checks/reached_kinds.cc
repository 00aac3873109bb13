// See reached_kinds.h.
#include "cli/checks/reached_kinds.h"

#include <algorithm>

#include "admission/builtin/registration.h"
#include "admission/crd/merging.h"

namespace portcullis {
namespace {

// Those that mutating policies see.
constexpr Operation kMutated[] = {Operation::Create, Operation::Update, Operation::Connect};
constexpr uint8_t kMutatedBits = kCreate | kUpdate | kConnect;

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
    Arena arena;
    const Decoded decoded = decode_object(arena, policy_.value);
    const MatchRules match(decoded.data["spec"]["matchConstraints"], true);
    for (size_t i = 0; i < match.rules().size(); i++) {
      const ResourceRule& rule = match.rules()[i];
      for (const Served& s : served_) {
        if (std::ranges::any_of(kMutated, [&](Operation o) { return reaches(match, rule, s, o); })) add(s);
      }
      add_unserved(rule, "spec.matchConstraints.resourceRules[" + std::to_string(i) + "].resources");
    }
    return std::move(out_);
  }

 private:
  // What the rule names and no table or definition has.
  void add_unserved(const ResourceRule& rule, const std::string& path) {
    if ((rule.operations & kMutatedBits) == 0) return;
    if (rule.groups.any()) return add_any();
    for (const std::string& group : rule.groups.names()) {
      if (Resources::is_closed(group)) continue;
      for (const ResourceRule::Resource& r : rule.resources) {
        if (r.name == "*" || r.subresource == "*") {
          add_any();
        } else if (std::ranges::none_of(served_, [&](const Served& s) {
                     return s.group == group && s.resource == r.name && s.subresource == r.subresource;
                   })) {
          const Served meant{.group = group, .resource = r.name, .subresource = r.subresource};
          out_.unknown.push_back({name_of(meant, true), path});
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
  ReachedKinds out_;
};

}  // namespace

bool reaches(const MatchRules& match, const ResourceRule& rule, const Served& s, Operation o) {
  AdmissionRequest request;
  request.operation = o;
  request.resource = {s.group, s.version, s.resource};
  request.subresource = s.subresource;
  request.namespace_name = s.namespaced ? "default" : "";
  const auto takes = [&](const ResourceRule& r) { return r.matches(request, request.resource); };
  return (s.operations & operation_bit(o)) != 0 && !exempt_from_policies(request.resource) && takes(rule) &&
         std::ranges::none_of(match.excludes(),
                              [&](const ResourceRule& e) { return e.names.empty() && takes(e); });
}

ReachedKinds reached_kinds(const InputObject& policy, const Resources& resources,
                           const std::vector<std::shared_ptr<const crd::Definition>>& definitions) {
  return Reach(policy, resources, definitions).run();
}

}  // namespace portcullis
