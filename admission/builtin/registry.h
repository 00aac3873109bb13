// The changes that the API server makes to an object of a built-in kind after decoding: metadata, the
// admission plugins that are on by default, and the strategies of the registry.
//
// Idea: there are two phases, as policies see them. MutatingAdmissionPolicies see the object after the
// plugins, ValidatingAdmissionPolicies see it after the strategy. docs/faithfulness.md lists the plugins and
// strategies that are emulated. Constants replace values that a server would choose: the end of a generated
// name, kUid, the time of the request. Limits: updates cover what updates.h says; only given objects of the
// cluster are known (surroundings.h). Source of behaviour: kubernetes pkg/registry, plugin/pkg/admission.
// Tested by tests/decoded.cc, which compares with Kubernetes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/decode.h"

namespace portcullis::builtin {

// The name that generateName gives: at most 58 bytes of it, and "zzzzz" where the API server appends five random
// characters.
std::string_view generated_name(Arena& arena, std::string_view prefix);
// The first address in the service range of a cluster.
inline constexpr std::string_view kClusterAddress = "10.0.0.1";

struct Filling {
  Arena& arena;
  std::string_view now;         // RFC 3339, UTC
  std::string_view name_space;  // of the request; empty for cluster-scoped kinds
  Sender sender;
  const Surroundings* around = nullptr;          // null: no object of the cluster is known
  std::string_view manager = {};                 // empty: managedFields stays as sent
  std::string_view subresource = {};             // of an update
  std::vector<std::string>* warnings = nullptr;  // collects those of duplicate owners if not null
};

// Of the Secrets that a ServiceAccount refers to, the registry keeps the names only.
void name_secrets(const Filling& with, Object& account);

// Makes `object`, a new one, what MutatingAdmissionPolicies see.
void fill_before_mutation(const Filling& with, Object& object);
// The part of it that admission plugins do, which do so again after a mutation.
void run_plugins(const Filling& with, Object& object);
// Whether one does something with objects of the struct.
bool has_plugins(const StructRow& row);
// Makes it what ValidatingAdmissionPolicies see; call after fill_before_mutation.
void fill_before_validation(const Filling& with, Object& object);
// The same as fill_before_mutation for a PUT of `object` over `stored`, of the same kind.
void fill_update_before_mutation(const Filling& with, Object& object, Object& stored);
// Makes it what ValidatingAdmissionPolicies see; call after fill_update_before_mutation. Metadata and the
// fields that the strategy of the subresource keeps come from `stored`.
void fill_update_before_validation(const Filling& with, Object& object, Object& stored);

}  // namespace portcullis::builtin
