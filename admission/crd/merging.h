// How the fields of custom resources are merged: MergeTypes out of a schema, for metadata.managedFields.
//
// Source of behaviour: apiextensions-apiserver pkg/controller/openapi/builder (what is published of a
// schema), kube-openapi pkg/schemaconv. Limits: where a schema has no type, lists are atomic.
// Tested by admission/crd/merging_test.cc.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admission/crd/schema.h"
#include "admission/ownership/managers.h"

namespace portcullis::crd {

// The types of one version's resources. `schema` must outlive it.
class MergeTypes {
 public:
  explicit MergeTypes(const Schema& schema);
  const ownership::MergeType& root() const { return *root_; }

 private:
  class Fields final : public ownership::MergeFields {
   public:
    void add(std::string_view name, const ownership::MergeType* type) { types_[name] = type; }
    bool empty() const { return types_.empty(); }
    const ownership::MergeType* find(const Value& name) const override;
    std::vector<std::string_view> names() const override;

   private:
    std::unordered_map<std::string_view, const ownership::MergeType*> types_;
  };
  const ownership::MergeType* make(const Schema& schema, bool preserving);
  void make_map(const Schema& schema, bool preserving, ownership::MergeType& out);
  void make_list(const Schema& schema, bool preserving, ownership::MergeType& out);
  void add_meta(Fields& fields);

  std::deque<ownership::MergeType> types_;
  std::deque<Fields> fields_;
  std::deque<std::vector<ownership::MergeKey>> keys_;
  std::deque<std::string> names_;
  const ownership::MergeType* root_;
};

// Of objects without a schema.
const ownership::MergeType& free_object();

// Who a request is sent by: the manager of new and of changed objects, and of those that were stored before.
struct FieldManagers {
  std::string_view name, creator;
  std::string_view now;  // RFC 3339, whole seconds
};

}  // namespace portcullis::crd
