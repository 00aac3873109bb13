#include "admission/ownership/field_set.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis::ownership {
namespace {

class FieldSetTest : public testing::Test {
 protected:
  FieldSet set(std::string_view json) {
    FieldSet out;
    EXPECT_TRUE(read_fields(arena_, *read_json(json, arena_), out)) << json;
    return out;
  }
  std::string text(const FieldSet& s) {
    std::string out;
    JsonWriter(out, JsonEscape::Plain, JsonOrder::Document).value(to_fields(arena_, s));
    return out;
  }
  Arena arena_;
};

TEST_F(FieldSetTest, WritesWhatItReadInOrder) {
  EXPECT_EQ(
      text(set(
          R"({"v:2":{},"i:1":{},"f:b":{},"k:{\"b\":1,\"a\":\"x\"}":{"f:c":{},".":{}},"v:\"t\"":{},"f:a":{"f:x":{}}})")),
      R"({"f:a":{"f:x":{}},"f:b":{},"k:{\"a\":\"x\",\"b\":1}":{".":{},"f:c":{}},"v:2":{},"v:\"t\"":{},"i:1":{}})");
  EXPECT_EQ(text(set(R"({"x:new":{},"f:a":{"y:":{}}})")), R"({"f:a":{}})");
  EXPECT_EQ(text(set("null")), "{}");
}

TEST_F(FieldSetTest, EscapesKeysAsUpstream) {
  EXPECT_EQ(text(set(R"({"k:{\"n\":\"a<b\"}":{},"f:a<b":{}})")),
            R"({"f:a<b":{},"k:{\"n\":\"a\\u003cb\"}":{}})");
}

TEST_F(FieldSetTest, RefusesWhatIsNoSet) {
  for (std::string_view json : {R"({"f":{}})", R"({"fa":{}})", R"({"k:[]":{}})", R"({"v:{":{}})",
                                R"({"i:x":{}})", R"({"f:a":1})", "5", "[1]"}) {
    FieldSet out;
    EXPECT_FALSE(read_fields(arena_, *read_json(json, arena_), out)) << json;
  }
}

TEST_F(FieldSetTest, SetAlgebra) {
  FieldSet a = set(R"({"f:a":{".":{},"f:x":{}},"f:b":{}})"), b = set(R"({"f:a":{},"f:c":{"f:d":{}}})");
  EXPECT_EQ(text(unite(arena_, a, b)), R"({"f:a":{".":{},"f:x":{}},"f:b":{},"f:c":{"f:d":{}}})");
  EXPECT_EQ(text(subtract(arena_, a, b)), R"({"f:a":{"f:x":{}},"f:b":{}})");
  EXPECT_EQ(text(subtract(arena_, a, b, true)), R"({"f:b":{}})");
  EXPECT_EQ(text(subtract(arena_, a, path_set(arena_, "a.x"))), R"({"f:a":{},"f:b":{}})");
  EXPECT_TRUE(subtract(arena_, a, a).empty());
}

}  // namespace
}  // namespace portcullis::ownership
