// The params of policies: found by name, and loaded.
//
// Idea: a param has an arena of its own and never changes, so the engines that Engine::change makes share it.
// Source of behaviour: apiserver pkg/admission/plugin/policy/generic. Tested by admission/engine/engine_test.cc,
// tests/admission/params.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/engine/shared_map.h"
#include "interpreter/values/arena.h"

namespace portcullis {

struct LoadedPolicy;  // admission/engine/policy.h
struct PolicyBinding;

// A param object.
struct Param {
  explicit Param(size_t bytes) : arena(bytes) {}
  SharedMapKey map_key() const { return {name_space, name}; }

  Arena arena;                   // of its values
  std::string name_space, name;  // the first is empty if the kind is cluster-scoped
  std::string key;               // "namespace/name"
  Value value, labels;
  Value in_mutations;  // typed params of built-in kinds: Go structs without apiVersion and kind; else `value`
  bool under_review = false;  // ObjectsToLoad::params_under_review

  // Whether `request` creates it, so that it does not exist yet.
  bool created_by(const AdmissionRequest& request) const;
};

// The params of one kind, by namespace and name.
struct ParamStore {
  bool namespaced = true;
  SharedMap<Param> params;
};

using ParamStores = std::map<std::string, ParamStore, std::less<>>;  // by kind_text

// The store of a kind, which may be made; null if the cluster does not have the kind.
ParamStore* store_of(ParamStores& stores, std::string_view kind, const Cluster& options);
// Takes the params that are `gone` from the stores of their kinds, and puts those of `objects` there, in the place of
// those of the same name.
Result<void> load_params(const ObjectsToLoad& objects, std::span<const ObjectName> gone,
                         const Cluster& options, ParamStores& stores);
// Sets PolicyBinding::named of the bindings of `policies`, which are among `bindings`. find_params() reports what is
// wrong with other references.
void find_named_params(const std::vector<LoadedPolicy>& policies, std::vector<PolicyBinding>& bindings);

}  // namespace portcullis
