// The MergeTypes of custom resources, made from a schema, for metadata.managedFields and apply
// configurations.
//
// Source of behaviour: apiextensions-apiserver pkg/controller/openapi/builder (the published form of a
// schema), kube-openapi pkg/schemaconv. Limits: a list without a schema is atomic. Tested by
// admission/crd/merging_test.cc.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admission/crd/schema.h"
#include "admission/ownership/managers.h"

namespace portcullis::crd {

// The types of the resources of one version. `schema` must outlive it.
class MergeTypes {
 public:
  explicit MergeTypes(const Schema& schema);
  const ownership::MergeType& root() const { return *root_; }

 private:
  class Fields final : public ownership::MergeFields {
   public:
    void add(std::string_view name, const ownership::MergeType* type);
    bool empty() const { return types_.empty(); }
    const ownership::MergeType* find(const Value& name, int& near) const override;
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

// The type of objects without a schema.
const ownership::MergeType& free_object();

// The managers of a request: that of created and updated fields, and that of stored objects.
struct FieldManagers {
  std::string_view name, creator;
  std::string_view now;  // RFC 3339, in whole seconds
};

}  // namespace portcullis::crd
