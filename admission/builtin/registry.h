// What the API server does to a new object of a built-in kind after decoding: metadata, the admission plugins
// that are on by default, and the strategies of the registry.
//
// Two phases, as policies see them: MutatingAdmissionPolicies the object after the plugins,
// ValidatingAdmissionPolicies the one that the strategy has made of it. Which plugins and strategies are
// emulated, and which are not, is in docs/faithfulness.md. Fixed values stand for what a server would choose:
// kSuffix, kUid, the time of the request. Limits: updates know metadata, status and a Service's
// addresses; of a cluster only what is given is looked at (surroundings.h). Source of behaviour:
// kubernetes pkg/registry, plugin/pkg/admission; judge: tests/decoded.cc.
#pragma once

#include <string_view>

#include "admission/builtin/decode.h"

namespace portcullis::builtin {

// Put behind generateName, where the API server draws five random letters.
inline constexpr std::string_view kSuffix = "zzzzz";
inline constexpr std::string_view kUid = "00000000-0000-4000-8000-000000000001";
// The first address of a cluster's services.
inline constexpr std::string_view kClusterAddress = "10.0.0.1";

struct Filling {
  Arena& arena;
  std::string_view now;         // RFC 3339, UTC
  std::string_view name_space;  // of the request; empty for cluster-scoped kinds
  Sender sender;
  const Surroundings* around = nullptr;  // null: nothing is known
  std::string_view manager = {};         // empty: managedFields stays as it was sent
  std::string_view subresource = {};
};

// As MutatingAdmissionPolicies see it.
void fill_before_mutation(const Filling& with, Object& object);
// And ValidatingAdmissionPolicies; after fill_before_mutation.
void fill_before_validation(const Filling& with, Object& object);
// A PUT of `object` over `stored`, of the same kind, as MutatingAdmissionPolicies see it.
void fill_update_before_mutation(const Filling& with, Object& object, Object& stored);
// And as ValidatingAdmissionPolicies do, after fill_update_before_mutation: metadata and what the strategy keeps come
// from the stored one; with `status` (the subresource) everything but the status does.
void fill_update_before_validation(const Filling& with, Object& object, Object& stored, bool status);

}  // namespace portcullis::builtin
