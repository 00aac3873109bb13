// The params of policies: found by name, and loaded.
//
// Source of behaviour: apiserver pkg/admission/plugin/policy/generic. Tested by admission/engine/engine_test.cc,
// tests/admission/params.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"

namespace portcullis {

struct LoadedPolicy;  // admission/engine/policy.h

// "group/version, Kind=kind", as Kubernetes prints a kind; the core group is empty.
std::string kind_text(std::string_view api_version, std::string_view kind);

// A param object.
struct Param {
  std::string name_space, name;
  std::string key;  // "namespace/name"
  Value value, labels;
  Value in_mutations;  // typed params of built-in kinds: Go structs without apiVersion and kind; else `value`
  bool under_review = false;  // ObjectsToLoad::params_under_review

  // Whether `request` creates it, so that it does not exist yet.
  bool created_by(const AdmissionRequest& request) const;
};

// The params of one kind, by key.
struct ParamStore {
  bool namespaced = true;
  std::vector<Param> params;
  // The param of this name; null if there is none. Needs the table.
  const Param* find(std::string_view name_space, std::string_view name) const;
  // Makes the table of `params`, which then stay as they are.
  void make_table();

 private:
  std::vector<uint32_t> table_;  // by hash of the name, with a power of two of slots: a position + 1; 0: free
};

using ParamStores = std::map<std::string, ParamStore, std::less<>>;  // by kind_text

// The store of a kind, which may be made; null if the cluster does not have the kind.
ParamStore* store_of(ParamStores& stores, std::string_view kind, const Cluster& options);
// Loads the params into the stores of their kinds. Their values live in `arena`.
Result<void> load_params(const ObjectsToLoad& objects, const Cluster& options, ParamStores& stores,
                         Arena& arena);
// Sets PolicyBinding::named of all bindings. find_params() reports what is wrong with other references.
void find_named_params(std::vector<LoadedPolicy>& policies);

}  // namespace portcullis
