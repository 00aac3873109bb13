#include "admission/typing/catalog.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "admission/typing/openapi.h"
#include "interpreter/values/json.h"
#include "typecheck/type.h"

namespace portcullis {
namespace {

std::vector<std::string> texts(const std::vector<KindId>& kinds) {
  std::vector<std::string> out;
  for (const KindId& k : kinds) out.push_back(k.text());
  return out;
}
using Texts = std::vector<std::string>;

// The type of a field path below the root, as the checker prints it; "none" if there is no such field.
std::string type_at(const crd::DeclTypes& types, std::initializer_list<std::string_view> path) {
  const Type* at = types.root()->type;
  for (std::string_view field : path) {
    while (at->is(TypeKind::List) || at->is(TypeKind::Map)) at = at->param(at->params().size() - 1);
    at = types.find_field(at->name(), field);
    if (at == nullptr) return "none";
  }
  return format_type(at);
}

TEST(Catalog, GuessesPluralsAsKubernetesDoes) {
  EXPECT_EQ(guess_plural("Deployment"), "deployments");
  EXPECT_EQ(guess_plural("Ingress"), "ingresses");
  EXPECT_EQ(guess_plural("NetworkPolicy"), "networkpolicies");
  EXPECT_EQ(guess_plural("Endpoints"), "endpoints");
}

TEST(Catalog, FindsTheKindsOfAResource) {
  SchemaCatalog c;
  EXPECT_EQ(texts(c.kinds_for("apps", "v1", "deployments", false)), Texts{"apps/v1, Kind=Deployment"});
  EXPECT_EQ(texts(c.kinds_for("apps", "v1", "Deployment", false)), Texts{"apps/v1, Kind=Deployment"});
  EXPECT_EQ(texts(c.kinds_for("", "v1", "pods", false)), Texts{"/v1, Kind=Pod"});
  EXPECT_TRUE(c.kinds_for("apps", "v2", "deployments", false).empty());
  EXPECT_TRUE(c.kinds_for("", "v1", "podexecoptionses", false).empty());
}

TEST(Catalog, AnEmptyGroupOrVersionIsAny) {
  SchemaCatalog c;
  EXPECT_EQ(texts(c.kinds_for("", "v1", "events", false)),
            (Texts{"/v1, Kind=Event", "events.k8s.io/v1, Kind=Event"}));
  EXPECT_EQ(texts(c.kinds_for("batch", "", "cronjobs", false)),
            (Texts{"batch/v1, Kind=CronJob", "batch/v1beta1, Kind=CronJob"}));
  EXPECT_EQ(texts(c.kinds_for("events", "", "events", false)),
            (Texts{"events.k8s.io/v1, Kind=Event", "events.k8s.io/v1beta1, Kind=Event"}));
}

TEST(Catalog, KindsOfOtherServersOnlyOnRequest) {
  SchemaCatalog c;
  EXPECT_TRUE(c.kinds_for("apiextensions.k8s.io", "v1", "customresourcedefinitions", false).empty());
  EXPECT_EQ(c.kinds_for("apiextensions.k8s.io", "v1", "customresourcedefinitions", true).size(), 1u);
  KindId service{"apiregistration.k8s.io", "v1", "APIService"};
  EXPECT_EQ(c.types_of(service, "A", false), nullptr);
  auto types = c.types_of(service, "A", true);
  ASSERT_NE(types, nullptr);
  EXPECT_EQ(type_at(*types, {"spec", "caBundle"}), "bytes");
}

TEST(Catalog, TypesOfBuiltInKinds) {
  SchemaCatalog c;
  auto pod = c.types_of({"", "v1", "Pod"}, "Pod", false);
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(type_at(*pod, {"metadata", "labels"}), "map(string, string)");
  EXPECT_EQ(type_at(*pod, {"metadata", "creationTimestamp"}), "timestamp");
  EXPECT_EQ(type_at(*pod, {"spec", "containers"}), "list(Pod.spec.containers.@idx)");
  EXPECT_EQ(type_at(*pod, {"spec", "containers", "ports", "containerPort"}), "int");
  EXPECT_EQ(type_at(*pod, {"spec", "containers", "livenessProbe", "httpGet", "port"}), "dyn");
  EXPECT_EQ(type_at(*pod, {"spec", "containers", "resources", "limits"}),
            "none");  // a Quantity has no single type
  EXPECT_EQ(type_at(*pod, {"spec", "nope"}), "none");
  auto secret = c.types_of({"", "v1", "Secret"}, "Secret", false);
  EXPECT_EQ(type_at(*secret, {"data"}), "map(string, bytes)");
  // A version that is no longer served.
  EXPECT_NE(c.types_of({"apps", "v1beta1", "Deployment"}, "D", false), nullptr);
  EXPECT_EQ(c.types_of({"", "v1", "Nope"}, "Nope", false), nullptr);
}

TEST(Catalog, RecursiveSchemasEndAsEmptyObjects) {
  SchemaCatalog c;
  auto crd = c.types_of({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, "C", false);
  ASSERT_NE(crd, nullptr);
  EXPECT_EQ(type_at(*crd, {"spec", "versions", "schema", "openAPIV3Schema", "properties"}),
            "map(string, C.spec.versions.@idx.schema.openAPIV3Schema.properties.@elem)");
  EXPECT_EQ(type_at(*crd, {"spec", "versions", "schema", "openAPIV3Schema", "properties", "type"}), "none");
}

constexpr std::string_view kDefinition =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
  "metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
  "names":{"kind":"Thing","plural":"thinges","singular":"thing"},"versions":[
   {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
     "spec":{"type":"object","properties":{"max-size":{"type":"integer"},
       "template":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
       "port":{"x-kubernetes-int-or-string":true}}}}}}},
   {"name":"v1alpha1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";

TEST(Catalog, TypesOfCustomResources) {
  Arena arena;
  auto definition = read_json(kDefinition, arena);
  ASSERT_TRUE(definition.ok());
  SchemaCatalog c;
  ASSERT_TRUE(c.add_definition(*definition));
  EXPECT_EQ(texts(c.kinds_for("example.com", "v1", "thinges", false)), Texts{"example.com/v1, Kind=Thing"});
  EXPECT_TRUE(c.kinds_for("example.com", "v1alpha1", "thinges", false).empty());
  auto thing = c.types_of({"example.com", "v1", "Thing"}, "Thing", false);
  ASSERT_NE(thing, nullptr);
  EXPECT_EQ(type_at(*thing, {"spec", "max__dash__size"}), "int");
  EXPECT_EQ(type_at(*thing, {"spec", "port"}), "dyn");
  // As published: with complete metadata, also in embedded resources.
  EXPECT_EQ(type_at(*thing, {"metadata", "annotations"}), "map(string, string)");
  EXPECT_EQ(type_at(*thing, {"spec", "template", "metadata", "labels"}), "map(string, string)");
  EXPECT_FALSE(c.add_definition(Value()));
}

TEST(Catalog, AnOpenApiDocumentReplacesItsVersions) {
  SchemaCatalog c;
  auto added = c.add_openapi(R"({"components":{"schemas":{"d":{"type":"object","properties":{"spec":{"allOf":[
    {"$ref":"#/components/schemas/s"}]}},"x-kubernetes-group-version-kind":[{"group":"apps","version":"v1",
    "kind":"Deployment"}]},"s":{"type":"object","properties":{"replicas":{"type":"number"},"again":{"$ref":"#/x/s"}}}}}})");
  ASSERT_TRUE(added.ok());
  auto d = c.types_of({"apps", "v1", "Deployment"}, "D", false);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(type_at(*d, {"spec", "replicas"}), "double");
  EXPECT_EQ(type_at(*d, {"spec", "again", "replicas"}), "none");
  EXPECT_EQ(type_at(*d, {"metadata", "labels"}),
            "none");  // the schema has no metadata: only the names are known
  EXPECT_EQ(type_at(*d, {"metadata", "generateName"}), "string");
  EXPECT_EQ(c.types_of({"apps", "v1", "DaemonSet"}, "D", false), nullptr);
  EXPECT_NE(c.types_of({"", "v1", "Pod"}, "Pod", false), nullptr);
  EXPECT_FALSE(c.add_openapi("{}").ok());
  EXPECT_FALSE(c.add_openapi("{").ok());
}

// A type and all types below it, as CEL sees them.
std::string outline(const crd::DeclType* t, const std::string& at) {
  if (t->element != nullptr)
    return (t->key ? "map " : "list ") + outline(t->element, at + (t->key ? ".@elem" : ".@idx"));
  std::string out = t->object ? "object\n" : format_type(t->type) + "\n";
  for (const auto& [name, field] : t->fields) out += at + "." + name + ": " + outline(field, at + "." + name);
  return out;
}

TEST(Catalog, EqualsThePublishedSchemas) {
  std::ifstream file(SHARED_DIR "/openapi/1.37/schemas.json");
  if (!file) GTEST_SKIP() << "no shared data";
  std::stringstream text;
  text << file.rdbuf();
  Arena arena;
  auto document = read_json(text.str(), arena);
  ASSERT_TRUE(document.ok());
  OpenApiSchemas published;
  ASSERT_TRUE(published.add(*document).ok());
  SchemaCatalog c;
  int compared = 0;
  for (const OpenApiSchemas::KindEntry& k : published.kinds()) {
    KindId id{std::string(k.group), std::string(k.version), std::string(k.kind)};
    auto types = c.types_of(id, "", true);
    crd::SchemaPtr schema = published.find(k.schema);
    ASSERT_NE(schema, nullptr) << k.schema;
    ASSERT_NE(types, nullptr) << id.text();
    crd::DeclTypes theirs(schema, true, "");
    EXPECT_EQ(outline(types->root(), ""), outline(theirs.root(), "")) << id.text();
    compared++;
  }
  EXPECT_GT(compared, 200);
}

TEST(Catalog, RefusesSchemasThatExplode) {
  // Each schema contains the next one ten times: 10^20 nodes.
  std::string text =
      R"({"schemas":{"k":{"type":"object","x-kubernetes-group-version-kind":[{"group":"g","version":"v1","kind":"K"}],)"
      R"("properties":{"a":{"$ref":"s0"}}})";
  for (int i = 0; i < 20; i++) {
    text += ",\"s" + std::to_string(i) + "\":{\"type\":\"object\",\"properties\":{";
    for (int j = 0; j < 10; j++)
      text += (j ? ",\"" : "\"") + std::to_string(j) + "\":{\"$ref\":\"s" + std::to_string(i + 1) + "\"}";
    text += "}}";
  }
  text += ",\"s20\":{\"type\":\"string\"}}}";
  SchemaCatalog c;
  ASSERT_TRUE(c.add_openapi(text).ok());
  EXPECT_EQ(c.types_of({"g", "v1", "K"}, "K", false), nullptr);
}

}  // namespace
}  // namespace portcullis
