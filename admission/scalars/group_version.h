// The parts of an apiVersion: "apps/v1" is a group and a version, "v1" a version of the core group; and the order of
// versions. Source of behaviour: apimachinery pkg/runtime/schema (ParseGroupVersion), pkg/version
// (CompareKubeAwareVersionStrings). Tested by admission/scalars/group_version_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// The groups of policies, bindings and webhooks, and of definitions of custom resources.
inline constexpr std::string_view kRegistrationGroup = "admissionregistration.k8s.io",
                                  kDefinitionGroup = "apiextensions.k8s.io";

// The kinds that every group has in addition to its own.
inline constexpr std::string_view kKindsOfAllGroups[] = {"WatchEvent",    "ListOptions",   "GetOptions",
                                                         "DeleteOptions", "CreateOptions", "UpdateOptions",
                                                         "PatchOptions"};

struct GroupVersion {
  std::string_view group, version;
  bool well_formed = true;  // false: more than two parts; `version` then holds all after the first
};

// Both parts are views of `api_version`.
constexpr GroupVersion split_api_version(std::string_view api_version) {
  size_t slash = api_version.find('/');
  if (slash == api_version.npos) return {{}, api_version};
  std::string_view version = api_version.substr(slash + 1);
  return {api_version.substr(0, slash), version, version.find('/') == version.npos};
}

// "pods/status" is a resource and a subresource, "pods" a resource. Both parts are views of `name`.
struct ResourceName {
  std::string_view resource, subresource;
};
constexpr ResourceName split_resource(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos) return {name, {}};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

// "apps/v1", or "v1" for the core group.
std::string join_api_version(std::string_view group, std::string_view version);
// A kind as Go prints it: "apps/v1, Kind=Deployment", "/v1, Kind=Pod".
std::string kind_text(std::string_view group, std::string_view version, std::string_view kind);
std::string kind_text(std::string_view api_version, std::string_view kind);
// The API server's error about an apiVersion that is not well formed.
std::string malformed_api_version(std::string_view api_version);

// Whether clients prefer the version `b` to `a`: v1alpha2 < v1beta1 < v1 < v2. Any other text comes before these, and
// the later one of two such texts in byte order before the earlier one.
bool version_before(std::string_view a, std::string_view b);

}  // namespace portcullis
