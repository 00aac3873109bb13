// OpenApiSchemas: the schemas of an OpenAPI v3 document, with references resolved on demand.
//
// Idea: the document of a cluster (`kubectl get --raw /openapi/v3/apis/apps/v1`) stays data; the schema of a
// kind is read when a policy needs it. A reference to an enclosing schema ends as an object without
// properties. Source of behaviour: apiserver pkg/cel/openapi/resolver (PopulateRefs). Limits:
// kMaxOpenApiNodes for one kind. Only the parts that types need are read. Tested by catalog_test.cc.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "admission/crd/schema.h"
#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The most nodes of one kind with all references resolved. A Pod has 1,700; only hostile documents have so
// many.
inline constexpr size_t kMaxOpenApiNodes = 100000;

class OpenApiSchemas {
 public:
  // A kind in the document.
  struct KindEntry {
    std::string_view group, version, kind;
    std::string_view schema;  // its name in the document
  };

  // Adds `document`: an OpenAPI v3 document, or {"schemas": {...}}, which must outlive this object. Fails if
  // it is neither.
  Result<void> add(const Value& document);

  const std::vector<KindEntry>& kinds() const { return kinds_; }
  // The schema of this name; null if it does not exist, is too large, or refers to a missing one.
  crd::SchemaPtr find(std::string_view name) const;

 private:
  std::map<std::string_view, const Value*> schemas_;
  std::vector<KindEntry> kinds_;
};

}  // namespace portcullis
