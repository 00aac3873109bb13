// fieldPath of rules against a schema, and upstream's messages for invalid ones.
#include "admission/crd/field_path.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis::crd {
namespace {

TEST(FieldPath, GoodAndBad) {
  Arena arena;
  Result<Value> data = read_json(
      R"({"type":"object","properties":{"a":{"type":"object","properties":{"b.c":{"type":"string"}}},
      "m":{"type":"object","additionalProperties":{"type":"string"}}}})",
      arena);
  SchemaPtr schema;
  ASSERT_FALSE(read_schema(*data, schema));
  EXPECT_EQ(*valid_field_path(".a", *schema), "a");
  EXPECT_EQ(*valid_field_path(".a['b.c']", *schema), "a.b.c");
  EXPECT_EQ(*valid_field_path(".m['x']", *schema), "m[x]");
  const std::pair<const char*, const char*> kBad[] = {
      {"a", "expected [ or . but got: a"},         {".", "unexpected end of JSON path"},
      {".x", "does not refer to a valid field"},   {".a[b]", "expected single quoted string but got b"},
      {".a['b.c'", "unexpected end of JSON path"},
  };
  for (const auto& [path, text] : kBad) {
    Result<std::string> made = valid_field_path(path, *schema);
    ASSERT_FALSE(made.ok()) << path;
    EXPECT_EQ(made.error().text, text) << path;
  }
}

}  // namespace
}  // namespace portcullis::crd
