// Schemas as rules see them: what is exposed, by which names, with which sizes. Unlimited sizes are those of
// upstream's schemas_test.
#include "admission/crd/decl_type.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis::crd {
namespace {

class Declared : public ::testing::Test {
 protected:
  const DeclTypes& of(const char* json, bool root = false) {
    Result<Value> data = read_json(json, arena);
    EXPECT_TRUE(data.ok()) << json;
    SchemaPtr schema;
    auto error = read_schema(*data, schema);
    EXPECT_FALSE(error) << error->text;
    types.push_back(std::make_unique<DeclTypes>(schema, root, "self"));
    return *types.back();
  }
  int64_t elements(const char* json) { return of(json).root()->max_elements; }

  Arena arena;
  std::vector<std::unique_ptr<DeclTypes>> types;
};

TEST_F(Declared, UnlimitedSizes) {
  EXPECT_EQ(elements(R"({"type":"array","items":{"type":"boolean"}})"), 629145);
  EXPECT_EQ(elements(R"({"type":"array","items":{"type":"string","format":"duration"}})"), 786432 - 1);
  EXPECT_EQ(elements(R"({"type":"array","items":{"type":"string","format":"date-time"}})"), 142987);
  EXPECT_EQ(elements(R"({"type":"array","items":{"type":"string","format":"date"}})"), 241978);
  EXPECT_EQ(elements(R"({"type":"array","items":{"type":"integer"}})"), 1572863);
  EXPECT_EQ(elements(R"({"type":"array","items":{"type":"string"}})"), 1048575);
  EXPECT_EQ(elements(R"({"type":"object","additionalProperties":{"type":"string"}})"), 393215);
  EXPECT_EQ(elements(R"({"x-kubernetes-int-or-string":true})"), 3145726);
}

TEST_F(Declared, Bounds) {
  EXPECT_EQ(elements(R"({"type":"string","maxLength":20})"), 80);
  EXPECT_EQ(elements(R"({"type":"string","format":"byte","maxLength":20})"), 20);
  EXPECT_EQ(elements(R"({"type":"string","enum":["a","abc"]})"), 3);
  EXPECT_EQ(elements(R"({"type":"array","maxItems":7,"items":{"type":"string"}})"), 7);
  EXPECT_EQ(elements(R"({"type":"object","maxProperties":3,"additionalProperties":{"type":"string"}})"), 3);
}

TEST_F(Declared, RequiredFieldsTakeRoom) {
  EXPECT_EQ(
      elements(
          R"({"type":"array","items":{"type":"object","properties":{"required":{"type":"string"}},"required":["required"]}})"),
      185042);
}

TEST_F(Declared, NamesFollowThePath) {
  const DeclTypes& t =
      of(R"({"type":"object","properties":{"a-b":{"type":"object","properties":{"l":{"type":"array",
      "items":{"type":"object","properties":{"namespace":{"type":"integer"}}}}}}}})");
  EXPECT_NE(t.find_struct("self.a__dash__b.l.@idx"), nullptr);
  EXPECT_NE(t.find_field("self.a__dash__b.l.@idx", "__namespace__"), nullptr);
  EXPECT_NE(t.find_field("self.a__dash__b.l.@idx", "namespace"), nullptr);
  EXPECT_EQ(t.find_field("self", "a-b"), nullptr);
}

TEST_F(Declared, WhatIsNotExposed) {
  EXPECT_EQ(of(R"({"x-kubernetes-preserve-unknown-fields":true})").root(), nullptr);
  EXPECT_EQ(of(R"({"type":"array"})").root(), nullptr);
  const DeclTypes& t = of(
      R"({"type":"object","properties":{"1a":{"type":"string"},"b":{"x-kubernetes-preserve-unknown-fields":true}}})");
  EXPECT_TRUE(t.root()->fields.empty());
}

TEST_F(Declared, RootsHaveMetadata) {
  const DeclTypes& t = of(R"({"type":"object","properties":{"spec":{"type":"object"}}})", true);
  EXPECT_NE(t.find_field("self.metadata", "name"), nullptr);
  EXPECT_NE(t.find_field("self.metadata", "generateName"), nullptr);
  EXPECT_EQ(t.find_field("self.metadata", "labels"), nullptr);
  EXPECT_NE(t.find_field("self", "apiVersion"), nullptr);
}

}  // namespace
}  // namespace portcullis::crd
