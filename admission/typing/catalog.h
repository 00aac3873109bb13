// SchemaCatalog: the kinds of a cluster, their resources, and the types of their objects.
//
// Idea: it replaces the RESTMapper and schema resolver of the API server's type checking. The program knows
// Kubernetes' own kinds (builtin.h); callers can add OpenAPI documents and CustomResourceDefinitions. Schemas
// are decoded on demand; the types of a kind are made once. Source of behaviour:
// apimachinery pkg/api/meta/restmapper.go (KindsFor, UnsafeGuessKindToResource), apiserver
// pkg/cel/openapi/resolver, apiextensions-apiserver pkg/controller/openapi/builder.
// Limits: built-in resources have the names that Kubernetes guesses from kinds, which are their real names.
// Thread-safe after the last addition. Tested by catalog_test.cc and tests/oracle/.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "admission/crd/decl_type.h"
#include "admission/typing/openapi.h"
#include "interpreter/values/arena.h"

namespace portcullis {

struct KindId {
  std::string group, version, kind;
  auto operator<=>(const KindId&) const = default;
  // The kind as Kubernetes prints it: "apps/v1, Kind=Deployment".
  std::string text() const;
};

// The plural that Kubernetes guesses for a kind ("Ingress": "ingresses").
std::string guess_plural(std::string_view kind);

class SchemaCatalog {
 public:
  // Holds the kinds of Kubernetes 1.37.
  SchemaCatalog();
  ~SchemaCatalog();
  SchemaCatalog(const SchemaCatalog&) = delete;
  SchemaCatalog& operator=(const SchemaCatalog&) = delete;

  // Adds the kinds of an OpenAPI v3 document (JSON) of another cluster. They replace all known kinds of the
  // groups and versions in the document.
  Result<void> add_openapi(std::string_view json);
  // Adds the served versions of a CustomResourceDefinition, which must outlive the catalog. False if
  // `definition` is none.
  bool add_definition(const Value& definition);

  // The kinds of a resource. As in Kubernetes, an empty group or version matches any, and the resource may be
  // in the singular. `all`: also kinds that other parts of the API server serve (CustomResourceDefinition,
  // APIService, StorageVersionMigration).
  std::vector<KindId> kinds_for(std::string_view group, std::string_view version, std::string_view resource,
                                bool all) const;

  // The types of objects of a kind. The type of the object itself is a struct named `name`. Null if no schema
  // is known.
  std::shared_ptr<const crd::DeclTypes> types_of(const KindId& kind, std::string_view name, bool all) const;
  // The schema of a kind; null if none is known.
  crd::SchemaPtr schema_of(const KindId& kind) const;

 private:
  enum class Origin : uint8_t { BuiltIn, More, OpenApi, Definition };
  struct Row {
    KindId id;
    std::string plural, singular;
    Origin origin = Origin::BuiltIn;
    std::string_view schema = {};    // name in `openapi_`
    crd::SchemaPtr definition = {};  // of a CustomResourceDefinition
    bool resource = true;            // false: a kind without resource (DeleteOptions)
  };
  void add_row(std::string_view group, std::string_view version, std::string_view kind, Origin origin,
               std::string_view schema = {});
  void add_version(const Value& version, const Value& spec);
  const Row* find(const KindId& kind) const;

  std::vector<Row> rows_;
  OpenApiSchemas openapi_;
  Arena arena_;               // holds the documents
  mutable std::mutex mutex_;  // guards types_
  mutable std::map<std::pair<KindId, std::string>, std::shared_ptr<const crd::DeclTypes>> types_;
};

}  // namespace portcullis
