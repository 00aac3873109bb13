// SchemaCatalog: which kinds there are, which resources they are, and the types of their objects.
//
// Idea: what the API server's type checking asks its RESTMapper and its schema resolver. Kubernetes' own
// kinds come with the program (builtin.h); OpenAPI documents and CustomResourceDefinitions can be added.
// Nothing is decoded before it is asked for; types are made once a kind and kept. Source of behaviour:
// apimachinery pkg/api/meta/restmapper.go (KindsFor, UnsafeGuessKindToResource), apiserver
// pkg/cel/openapi/resolver, apiextensions-apiserver pkg/controller/openapi/builder.
// Limits: built-in resources are named as Kubernetes guesses them from kinds, which is how all of them are
// called. Thread-safe once everything is added. Tested by catalog_test.cc and tests/oracle/.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "admission/crd/decl_type.h"
#include "admission/typing/openapi.h"
#include "interpreter/values/arena.h"

namespace portcullis {

struct KindId {
  std::string group, version, kind;
  auto operator<=>(const KindId&) const = default;
  // As Kubernetes prints it: "apps/v1, Kind=Deployment".
  std::string text() const;
};

// The plural that Kubernetes guesses for a kind ("Ingress": "ingresses").
std::string guess_plural(std::string_view kind);

class SchemaCatalog {
 public:
  // Kubernetes 1.37's own kinds.
  SchemaCatalog();
  ~SchemaCatalog();
  SchemaCatalog(const SchemaCatalog&) = delete;
  SchemaCatalog& operator=(const SchemaCatalog&) = delete;

  // Adds the kinds of an OpenAPI v3 document of another cluster (JSON). For each group and version that it
  // describes, what was known before is forgotten.
  Result<void> add_openapi(std::string_view json);
  // Adds the served versions of a CustomResourceDefinition, which must outlive the
  // catalog. False: it is none.
  bool add_definition(const Value& definition);

  // The kinds that a resource stands for. As in Kubernetes an empty group or version stands for any, and a
  // resource may be given in the singular. `all`: also kinds that are served by other parts of the API server
  // than the one that knows the built-in kinds (CustomResourceDefinition, APIService,
  // StorageVersionMigration).
  std::vector<KindId> kinds_for(std::string_view group, std::string_view version, std::string_view resource,
                                bool all) const;

  // The types of objects of a kind; the type of the object is a struct named `name`. Null:
  // no schema is known.
  std::shared_ptr<const crd::DeclTypes> types_of(const KindId& kind, std::string_view name, bool all) const;
  // The schema itself, or null.
  crd::SchemaPtr schema_of(const KindId& kind) const;

 private:
  enum class Origin : uint8_t { BuiltIn, More, OpenApi, Definition };
  struct Row {
    KindId id;
    std::string plural, singular;
    Origin origin = Origin::BuiltIn;
    std::string_view schema = {};    // name in `openapi_`
    crd::SchemaPtr definition = {};  // of a CustomResourceDefinition
    bool resource = true;            // false: a kind that is no resource (DeleteOptions)
  };
  void add_row(std::string_view group, std::string_view version, std::string_view kind, Origin origin,
               std::string_view schema = {});
  void add_version(const Value& version, const Value& spec);
  const Row* find(const KindId& kind) const;

  std::vector<Row> rows_;
  OpenApiSchemas openapi_;
  Arena arena_;               // of documents
  mutable std::mutex mutex_;  // of types_
  mutable std::map<std::pair<KindId, std::string>, std::shared_ptr<const crd::DeclTypes>> types_;
};

}  // namespace portcullis
