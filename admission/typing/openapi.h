// OpenApiSchemas: the schemas of an OpenAPI v3 document, references resolved when asked for.
//
// Idea: a cluster's own document (`kubectl get --raw /openapi/v3/apis/apps/v1`) as data; a kind's schema is
// read when a policy needs it. A reference to a schema that is already open ends there as an object without
// properties. Source of behaviour: apiserver pkg/cel/openapi/resolver (PopulateRefs).
// Limits: kMaxOpenApiNodes for one kind. Only what types are made of is read. Tested by catalog_test.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "admission/crd/schema.h"
#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Nodes of one kind with all references resolved: a Pod has 1,700; only hostile documents
// have more than this.
inline constexpr size_t kMaxOpenApiNodes = 100000;

class OpenApiSchemas {
 public:
  // A kind that the document describes.
  struct KindEntry {
    std::string_view group, version, kind;
    std::string_view schema;  // its name in the document
  };

  // Takes in `document`: an OpenAPI v3 document, or {"schemas": {...}}. It must outlive this object. An
  // error if it is neither.
  Result<void> add(const Value& document);

  const std::vector<KindEntry>& kinds() const { return kinds_; }
  // The schema of this name, or null if there is none, or it is too large, or refers to
  // one that there is not.
  crd::SchemaPtr find(std::string_view name) const;

 private:
  std::map<std::string_view, const Value*> schemas_;
  std::vector<KindEntry> kinds_;
};

}  // namespace portcullis
