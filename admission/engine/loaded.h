// What an engine has loaded: policies and webhooks, compiled and indexed, params and namespaces.
// Tested by admission/engine/engine_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/admission.h"
#include "admission/engine/loaded_webhook.h"
#include "admission/engine/params.h"
#include "admission/engine/policy.h"
#include "admission/engine/policy_index.h"
#include "admission/engine/request_values.h"
#include "admission/matching/matching.h"

namespace portcullis {

// The numbers of the variables that reviews set.
struct VariableNumbers {
  uint32_t object, old_object, request, namespace_object, params, authorizer, request_resource, variables;
  explicit VariableNumbers(const PathTable& paths);
};

// A comparison of pairs of texts that allows lookup by views.
struct TextPairLess {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::pair<std::string_view, std::string_view>(a.first, a.second) <
           std::pair<std::string_view, std::string_view>(b.first, b.second);
  }
};

// The part of an engine that does not depend on params and namespaces. A copy compiles nothing.
struct CompiledPolicies {
  std::shared_ptr<PathTable> paths;  // of all programs
  std::shared_ptr<const VariableNumbers> numbers;
  std::shared_ptr<const std::vector<MatchRules>> rules;  // of policies and bindings, each once
  std::vector<LoadedPolicy> policies;   // validating policies, by name; only those with bindings
  std::vector<LoadedPolicy> mutating;   // mutating policies, likewise
  std::vector<PolicyBinding> bindings;  // by sort and name of the policy, then by name
  // By name of the configuration, then in its order.
  std::vector<LoadedWebhook> mutating_webhooks, validating_webhooks;
  // Equivalent versions of resources, by the group and resource of each version.
  std::map<std::pair<std::string, std::string>, size_t, TextPairLess> equivalent_key;
  std::map<size_t, std::vector<Equivalent>> equivalents;
  std::shared_ptr<Arena> texts;       // of policies, bindings and equivalents
  PolicyIndex index, mutating_index;  // of `policies`, `mutating`
  std::vector<std::shared_ptr<const crd::Definition>> definitions;
  size_t binding_count = 0;  // of `bindings`, those that belong to a policy

  std::span<const PolicyBinding> bindings_of(const LoadedPolicy& policy) const {
    return std::span(bindings).subspan(policy.first_binding, policy.binding_count);
  }
};

// A namespace, which never changes, like a Param.
struct LoadedNamespace {
  explicit LoadedNamespace(size_t bytes) : arena(bytes) {}
  SharedMapKey map_key() const { return {{}, name}; }

  Arena arena;  // of its values
  std::string name;
  NamespaceValues values;
};

struct Engine::Loaded : CompiledPolicies {
  ParamStores params;
  SharedMap<LoadedNamespace> namespaces;
  bool assume_namespaces = false;

  std::span<const Equivalent> equivalents_of(const GroupVersionResource& resource) const;
};

}  // namespace portcullis
