// DeclType: what rules see of a schema: its CEL type, the fields by their escaped names, and the sizes that
// bound the static cost of expressions.
//
// Idea: a tree beside the schema; objects are named by their path ("selfType.spec"), lists and maps know
// their largest size. It answers the checker (TypeProvider) and the estimator (SizeEstimator).
// Source of behaviour: k8s.io/apiserver pkg/cel/common/schemas.go, pkg/cel/types.go. Only what Kubernetes
// exposes to CEL is visible. Tested by admission/crd/decl_type_test.cc and the conformance tables crd_*.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "admission/crd/schema.h"
#include "typecheck/cost.h"
#include "typecheck/type.h"

namespace portcullis::crd {

// A request is at most this large, which bounds everything that has no bound of its own.
inline constexpr int64_t kMaxRequestBytes = 3 * 1024 * 1024;

struct DeclType {
  const Type* type = nullptr;
  std::string name;  // of an object: its path
  bool object = false;
  int64_t max_elements = 0;                                    // characters, bytes, items or entries
  int64_t min_serialized = 0;                                  // bytes that a value takes in JSON at least
  const DeclType* key = nullptr;                               // maps
  const DeclType* element = nullptr;                           // lists and maps
  std::map<std::string, const DeclType*, std::less<>> fields;  // by escaped name
};

// The types of one root and all below it. Immutable after construction; must outlive
// environments made with it.
class DeclTypes final : public TypeProvider {
 public:
  // `resource_root`: the schema is that of a whole resource (has apiVersion, kind, metadata). `keywords`:
  // fields whose names are keywords are found by these as well (since Kubernetes 1.31). An empty `root_name`
  // leaves objects without names, as parts of other trees need them.
  DeclTypes(const SchemaPtr& schema, bool resource_root, std::string_view root_name, bool keywords = true);
  // The types of a part of another tree, which must outlive this one.
  DeclTypes(const DeclType& part, std::string_view root_name, bool keywords = true);

  // Null: the schema is not exposed to CEL.
  const DeclType* root() const { return root_; }
  // The object of this name ("selfType.spec"), or null.
  const DeclType* find_object(std::string_view name) const;

  const Type* find_struct(std::string_view name) const override;
  // Upstream puts the time behind them, so that nobody can write them.
  bool names_are_usable() const override { return false; }
  const Type* find_field(std::string_view struct_name, std::string_view field) const override;

 private:
  const DeclType* make(const SchemaPtr& schema, bool resource_root);
  const DeclType* make_string(const Schema& schema);
  const DeclType* make_object(const Schema& schema);
  const DeclType* simple(const Type* type, int64_t min_serialized, int64_t max_elements = 0);
  const DeclType* list(const DeclType* element, int64_t max_items);
  const DeclType* map(const DeclType* element, int64_t max_properties);
  const DeclType* named(const DeclType* t, const std::string& name);
  void register_objects(const DeclType& t);

  std::deque<DeclType> types_;
  TypePool pool_;
  std::unordered_map<std::string, const DeclType*> objects_;
  const DeclType* root_ = nullptr;
  bool keywords_;
};

// Sizes of `self` and `oldSelf` from the bounds of the type.
class DeclSizes final : public SizeEstimator {
 public:
  explicit DeclSizes(const DeclType& root) : root_(root) {}
  std::optional<SizeEstimate> estimate_size(const SizeNode& node) const override;

 private:
  const DeclType& root_;
};

// How often data of this type can occur in a request at most.
uint64_t max_cardinality(const DeclType& type);

}  // namespace portcullis::crd
