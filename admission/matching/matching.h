// Matching: which policies and bindings a request is for.
//
// Idea: rules are parsed at load into masks and split names; the order of the checks and which errors surface
// are those of the API server's matcher, since a broken selector must not fail a request that the rules would
// not match. Source of behaviour: apiserver pkg/admission/plugin/policy/matching/matching.go,
// .../webhook/predicates/*. Tested by tests/admission/matching, tests/oracle/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/data.h"
#include "admission/matching/selector.h"
#include "admission/objects/request.h"

namespace portcullis {

// Names with `*` for any.
class NameSet {
 public:
  NameSet() = default;
  explicit NameSet(const Data& list);
  bool contains(std::string_view name) const;
  bool any() const { return any_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  bool any_ = false;
};

struct ResourceRule {
  enum class Scope : uint8_t { Any, Namespaced, Cluster, Never };
  struct Resource {
    std::string name, subresource;  // "*": any
  };
  uint8_t operations = 0;  // bit 1 << Operation
  NameSet groups, versions;
  std::vector<Resource> resources;
  Scope scope = Scope::Any;
  std::vector<std::string> names;  // empty: any

  explicit ResourceRule(const Data& rule);
  // `resource` may be another than the request's (an equivalent one). Without the name.
  bool matches(const AdmissionRequest& request, const GroupVersionResource& resource) const;
  // What that takes, and the name.
  bool matches_operation(const AdmissionRequest& request) const;
  bool matches_scope(const AdmissionRequest& request, const GroupVersionResource& resource) const;
  bool matches_resource(const AdmissionRequest& request, const GroupVersionResource& resource) const;
  bool matches_name(std::string_view name) const;
};

// The other versions of a resource, in the order in which they were made known.
struct Equivalent {
  GroupVersionResource resource;
  GroupVersionKind kind;
  std::string error;  // not empty: it has no kind, so nothing can be converted to it
};

// What a request is matched against beyond itself.
struct MatchScene {
  const AdmissionRequest* request = nullptr;
  Value object_labels, old_object_labels;
  bool has_object = false, has_old_object = false;
  Value namespace_labels;            // of the request's namespace, or of the object if that is a namespace
  std::string_view namespace_error;  // the namespace is missing
  const std::vector<Equivalent>* equivalents = nullptr;
};

struct MatchOutcome {
  bool matches = false;
  std::string_view error;          // not empty: matching failed
  std::string_view field;          // of MatchResources: where the cause of the error stands
  const Equivalent* as = nullptr;  // the equivalent resource that matched; null: the request's own
};

// Parsed MatchResources.
class MatchRules {
 public:
  MatchRules() = default;
  // `required`: a policy's constraints, which must be there.
  MatchRules(const Data& match, bool required);

  MatchOutcome match(const MatchScene& scene) const;
  const std::vector<ResourceRule>& rules() const { return rules_; }
  const std::vector<ResourceRule>& excludes() const { return excludes_; }
  const LabelSelector& namespace_selector() const { return namespace_selector_; }
  const LabelSelector& object_selector() const { return object_selector_; }
  bool equivalent() const { return equivalent_; }
  // What `match` takes, each alone. Selectors that cannot be asked select everything: `match` says why it fails.
  MatchOutcome match_excludes(const MatchScene& scene) const { return match_rules(excludes_, scene); }
  MatchOutcome match_resources(const MatchScene& scene) const;
  bool selects_namespace(const MatchScene& scene) const;
  bool selects_object(const MatchScene& scene) const;
  // Whether every request must be looked at (no rules, or an error).
  bool unrestricted() const { return !present_ || !error_.empty() || rules_.empty(); }

 private:
  MatchOutcome match_rules(const std::vector<ResourceRule>& rules, const MatchScene& scene) const;
  // Why the namespace selector cannot be asked; empty if it can.
  std::string_view namespace_problem(const MatchScene& scene) const;

  bool present_ = false, equivalent_ = false;
  std::string error_;                           // why nothing can be matched
  std::string namespace_error_, object_error_;  // why the selector cannot be used
  LabelSelector namespace_selector_, object_selector_;
  std::vector<ResourceRule> rules_, excludes_;
};

struct GroupResource {
  std::string_view group, resource;
};
// Reviews, which are answered and never stored: neither webhooks nor policies see them.
inline constexpr std::array<GroupResource, 6> kReviewResources = {{
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authentication.k8s.io", "tokenreviews"},
    {"authorization.k8s.io", "localsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
    {"authorization.k8s.io", "subjectaccessreviews"},
}};

// Whether requests for this resource are never shown to policies: reviews, and what policies are made of.
bool exempt_from_policies(const GroupVersionResource& resource);

}  // namespace portcullis
