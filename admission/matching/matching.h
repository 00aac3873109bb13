// Matching: which policies and bindings apply to a request.
//
// Idea: rules are parsed at load into masks and split names. The checks run in the order of the API server's
// matcher, and the same errors surface: a broken selector must not fail a request that the rules do not
// match. Source of behaviour: apiserver pkg/admission/plugin/policy/matching/matching.go,
// .../webhook/predicates/*. Tested by tests/admission/matching, tests/oracle/.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/data.h"
#include "admission/matching/selector.h"
#include "admission/objects/request.h"

namespace portcullis {

// A set of names; `*` matches any name.
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
    std::string name, subresource;  // "*" matches any
  };
  uint8_t operations = 0;  // a sum of operation_bit()
  NameSet groups, versions;
  std::vector<Resource> resources;
  Scope scope = Scope::Any;
  std::vector<std::string> names;  // resourceNames; empty matches any name
  std::string versions_text;       // those of `versions` that a resource can have, in order: "v1.v1beta1"

  explicit ResourceRule(const Data& rule);
  // Whether the rule matches everything but the name. `resource` is that of the request or an equivalent one.
  bool matches(const AdmissionRequest& request, const GroupVersionResource& resource) const;
  // Whether it does so at some version.
  bool matches_at_a_version(const AdmissionRequest& request) const;
  // The parts of `matches`, and the check of the name.
  bool matches_operation(const AdmissionRequest& request) const;
  bool matches_scope(const AdmissionRequest& request, const GroupVersionResource& resource) const;
  bool matches_resource(const AdmissionRequest& request, const GroupVersionResource& resource) const;
  bool matches_name(std::string_view name) const;
};

// How an object becomes one of another version.
enum class Conversion : uint8_t {
  Known,
  ByWebhook,  // see EquivalentResource
  Unknown,    // nothing that is given says how
};

// An equivalent of a resource at another version; equivalents stay in the order of registration.
struct Equivalent {
  GroupVersionResource resource;
  GroupVersionKind kind;
  std::string_view error;  // if not empty, it has no kind, so no object can be converted to it
  Conversion conversion = Conversion::Known;  // of the objects of a request
  LackingSubresources lacks = {};
};

// The input of matching: the request and what is looked up for it.
struct MatchScene {
  const AdmissionRequest* request = nullptr;
  Value object_labels, old_object_labels;
  bool has_object = false, has_old_object = false;
  Value namespace_labels;            // of the request's namespace, or of the object if it is a Namespace
  std::string_view namespace_error;  // why there are no such labels; empty if there are
  bool lacks_namespace = false;      // whether that is since the namespace is missing
  std::span<const Equivalent> equivalents;    // those that have the request's subresource
  Conversion conversion = Conversion::Known;  // of the objects to the kind of the request
  // Stands for every version of the request's resource, if an API server has sent it at one that its definition here
  // lacks, so that there may be more; else null. How objects are converted to it is unknown, or no matter (a Scale).
  const Equivalent* any_version = nullptr;
  Conversion conversion_to(const Equivalent* as) const { return as == nullptr ? conversion : as->conversion; }
};

struct MatchOutcome {
  bool matches = false;
  bool lacks_namespace = false;    // whether `error` says that the request's namespace is missing
  std::string_view error;          // if not empty, matching failed
  std::string_view field;          // the field of MatchResources that caused the error
  const Equivalent* as = nullptr;  // the equivalent resource that matched; null: the resource of the request
};

// MatchResources, parsed.
class MatchRules {
 public:
  MatchRules() = default;
  // `required`: these are the match constraints of a policy, which must be present.
  MatchRules(const Data& match, bool required);
  // The rules and selectors of a webhook. Without rules it matches nothing.
  static MatchRules of_webhook(const Data& webhook);

  MatchOutcome match(const MatchScene& scene) const;
  const std::vector<ResourceRule>& rules() const { return rules_; }
  const std::vector<ResourceRule>& excludes() const { return excludes_; }
  const LabelSelector& namespace_selector() const { return namespace_selector_; }
  const LabelSelector& object_selector() const { return object_selector_; }
  bool equivalent() const { return equivalent_; }
  // The single checks of `match`. A selector that cannot be evaluated selects everything here; `match`
  // reports its error.
  MatchOutcome match_excludes(const MatchScene& scene) const { return match_rules(excludes_, scene); }
  MatchOutcome match_resources(const MatchScene& scene) const;
  bool selects_namespace(const MatchScene& scene) const;
  bool selects_object(const MatchScene& scene) const;
  // Why the selector cannot be evaluated; empty if it can. The first may be scene.namespace_error.
  std::string_view namespace_problem(const MatchScene& scene) const;
  // Whether that is since the request's namespace is missing.
  bool lacks_namespace(const MatchScene& scene) const;
  std::string_view object_problem() const { return object_error_; }
  // Whether `match` must run for every resource (no rules, or an error).
  bool unrestricted() const { return !present_ || !error_.empty() || rules_.empty(); }

  // The versions at which the rules take what the request is about, whatever version it has (asked_versions.h); empty
  // if no rule does. An API server chooses the version of the object by nothing else, so policies that ask for the same
  // may share a webhook.
  std::string asked_versions(const AdmissionRequest& request) const;
  // Whether this is `versions`.
  bool asks_for(const AdmissionRequest& request, std::string_view versions) const;

 private:
  // Calls `add` with the parts of the text of `asked_versions`.
  template <typename Add>
  void each_asked(const AdmissionRequest& request, Add add) const;
  void read_selectors(const Data& match);
  MatchOutcome match_rules(const std::vector<ResourceRule>& rules, const MatchScene& scene) const;

  bool present_ = false, equivalent_ = false;
  bool needs_rule_ = false;                     // without rules, nothing matches
  std::string error_;                           // why `match` always fails; else empty
  std::string namespace_error_, object_error_;  // why the selector cannot be evaluated; else empty
  LabelSelector namespace_selector_, object_selector_;
  std::vector<ResourceRule> rules_, excludes_;
};

struct GroupResource {
  std::string_view group, resource;
};
// Review resources, which are answered and never stored. Neither webhooks nor policies see them.
inline constexpr std::array<GroupResource, 6> kReviewResources = {{
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authentication.k8s.io", "tokenreviews"},
    {"authorization.k8s.io", "localsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
    {"authorization.k8s.io", "subjectaccessreviews"},
}};

// Whether policies never see requests for this resource: reviews, and policies and bindings themselves.
bool exempt_from_policies(const GroupVersionResource& resource);
// Whether webhooks never see the request: one for a review, or for an object that configures admission.
bool exempt_from_webhooks(const AdmissionRequest& request);

}  // namespace portcullis
