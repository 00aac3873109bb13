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
  EXPECT_EQ(valid_field_path(".a", *schema)->text, "a");
  EXPECT_EQ(valid_field_path(".a['b.c']", *schema)->text, "a.b.c");
  EXPECT_EQ(valid_field_path(".m['x']", *schema)->text, "m[x]");
  EXPECT_EQ(valid_field_path(".m.x", *schema)->schema->type, "string");
  EXPECT_EQ(valid_field_path(".m['x']", *schema, false).error().text, "array notation is not allowed");
  const std::pair<const char*, const char*> kBad[] = {
      {"a", "expected [ or . but got: a"},         {".", "unexpected end of JSON path"},
      {".x", "does not refer to a valid field"},   {".a[b]", "expected single quoted string but got b"},
      {".a['b.c'", "unexpected end of JSON path"},
  };
  for (const auto& [path, text] : kBad) {
    Result<FieldPath> made = valid_field_path(path, *schema);
    ASSERT_FALSE(made.ok()) << path;
    EXPECT_EQ(made.error().text, text) << path;
  }
}

}  // namespace
}  // namespace portcullis::crd
