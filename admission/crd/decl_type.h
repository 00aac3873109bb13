// DeclType: a schema as rules see it: its CEL type, its fields by their escaped names, and the sizes that
// bound the static cost of expressions.
//
// Idea: a tree parallel to the schema. Objects are named by their path ("selfType.spec"); lists and maps know
// their largest size. It answers the checker (TypeProvider) and the estimator (SizeEstimator). Source of
// behaviour: k8s.io/apiserver pkg/cel/common/schemas.go, pkg/cel/types.go. Only what Kubernetes exposes to
// CEL is visible. Tested by admission/crd/decl_type_test.cc and the conformance tables crd_*.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#include "admission/crd/schema.h"
#include "typecheck/cost.h"
#include "typecheck/type.h"

namespace portcullis::crd {

// The largest size of a request, which bounds everything without a bound of its own.
inline constexpr int64_t kMaxRequestBytes = 3 * 1024 * 1024;

struct DeclType {
  const Type* type = nullptr;
  std::string name;  // of an object: its path
  bool object = false;
  int64_t max_elements = 0;                                    // characters, bytes, items or entries
  int64_t min_serialized = 0;                                  // the fewest bytes of a value in JSON
  const DeclType* key = nullptr;                               // of a map
  const DeclType* element = nullptr;                           // of a list or map
  std::map<std::string, const DeclType*, std::less<>> fields;  // by escaped name
};

// The types of a schema and of all schemas within it. Immutable after construction. Must outlive the
// environments made with it.
class DeclTypes final : public TypeProvider {
 public:
  // `resource_root`: the schema is that of a whole resource (with apiVersion, kind, metadata). `keywords`: a
  // field whose name is a keyword is also found by that name (since Kubernetes 1.31). If `root_name` is
  // empty, objects have no names, as a part of another tree needs it.
  DeclTypes(const SchemaPtr& schema, bool resource_root, std::string_view root_name, bool keywords = true);
  // The types of a part of another tree, which must outlive this one.
  DeclTypes(const DeclType& part, std::string_view root_name, bool keywords = true);

  // Null if the schema is not exposed to CEL.
  const DeclType* root() const { return root_; }
  // The object of this name ("selfType.spec"); null if there is none.
  const DeclType* find_object(std::string_view name) const;

  const Type* find_struct(std::string_view name) const override;
  // Upstream appends the time to the names of structs, so that no expression can use them, and has names for two types,
  // which only the checker knows.
  const Type* find_type_name(std::string_view name) const override {
    return name == "duration" ? types::kDuration : name == "timestamp" ? types::kTimestamp : nullptr;
  }
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

// The sizes of `self` and `oldSelf`, from the bounds of the type.
class DeclSizes final : public SizeEstimator {
 public:
  explicit DeclSizes(const DeclType& root) : root_(root) {}
  std::optional<SizeEstimate> estimate_size(const SizeNode& node) const override;

 private:
  const DeclType& root_;
};

// The most values of this type that a request can contain.
uint64_t max_cardinality(const DeclType& type);

}  // namespace portcullis::crd
