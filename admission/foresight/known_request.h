// What is known about the requests that rules let through, before one arrives.
//
// Idea: every served resource and operation that a rule lets through is one sort of request; so is every resource that
// a rule may mean and no table has (of a custom group, or `*`). Of each sort the operation, the resource and the kind
// are known as far as the rules and the tables determine them; the rest is open. The sorts together cover every request
// that can arrive, perhaps more: what holds for all of them holds for every request. Limits: resourceNames, selectors
// and the Equivalent matching of exclusions are ignored, so there may be more sorts than requests.
// Source of behaviour: apiserver pkg/admission/plugin/webhook/predicates/rules, pkg/kubeapiserver/admission/exclusion.
// Tested by admission/foresight/known_request_test.cc, tests/cli/conditions.txt.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "admission/builtin/types.h"
#include "admission/matching/matching.h"
#include "admission/objects/request.h"

namespace portcullis::foresight {

// What is known about a request. An absent text is not known; an empty one is known to be empty.
struct KnownRequest {
  using Text = std::optional<std::string_view>;

  Operation operation = Operation::Create;
  Text group, version, resource;               // request.resource and request.requestResource
  Text kind_group, kind_version, kind;         // request.kind; of the objects
  Text own_group, own_version;                 // request.requestKind, whose kind is `kind`
  Text subresource;                            // empty: none
  std::optional<bool> namespaced;              // whether the request has a namespace
  Text namespace_name;                         // of the request and its objects
  Text username;                               // of the user
  std::span<const std::string_view> groups;    // of the user; empty: not known
  const builtin::StructRow* fields = nullptr;  // of the objects; null: not known
};

// A served resource or subresource at one version, with the operations that it takes.
struct ServedResource {
  std::string_view group, version, resource, subresource;
  std::string_view body_group, body_version, body_kind;  // the kind of the request's objects
  bool namespaced = true;
  bool built_in = true;                        // false: of a CustomResourceDefinition
  uint8_t operations = 0;                      // a sum of operation_bit()
  const builtin::StructRow* fields = nullptr;  // of the request's objects; null: not known
};

// A request for the resource, sent at its own version.
KnownRequest exact_request(const ServedResource& resource, Operation operation);

// What servers serve.
struct ServedResources {
  std::span<const ServedResource> list;
  // Whether no resource of the group is missing in the list.
  std::function<bool(std::string_view group)> is_closed;
};

// Who looks at the requests.
enum class Audience : uint8_t { ValidatingPolicy, MutatingPolicy, Webhook };

// Whether the audience sees requests for a resource at all.
bool is_seen(const ServedResource& resource, Audience audience);

// The most classes of requests: enough for every served resource several times; rules can be multiplied to far more.
inline constexpr size_t kMostRequests = 10'000;

// The classes of requests that the rules let through; none if there are more than kMostRequests. Their texts are views
// of `rules` and `served`.
std::vector<KnownRequest> requests_of(const MatchRules& rules, Audience audience,
                                      const ServedResources& served);

}  // namespace portcullis::foresight
