#include "admission/ownership/compare.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis::ownership {
namespace {

// {ports: list of type map by port and protocol (default TCP), tags: set, free: anything, leaf: atomic map,
// any other field: text}
class Fields final : public MergeFields {
 public:
  const MergeType* find(const Value& name, int&) const override {
    std::string_view n = name.as_text();
    return n == "ports" ? &ports : n == "tags" ? &tags : n == "free" ? &any : n == "leaf" ? &leaf : nullptr;
  }
  std::vector<std::string_view> names() const override { return {"free", "leaf", "ports", "tags"}; }
  MergeType text{.scalar = ScalarForm::Text, .fallible = true};
  MergeType any{.form = Form::Any};
  MergeType item{.form = Form::Map, .item = &any};
  MergeKey keys[2] = {{Value::string("port"), Value::null(), false},
                      {Value::string("protocol"), Value::string("TCP"), true}};
  MergeType ports{.form = Form::List, .fallible = true, .keys = keys, .item = &item};
  MergeType tags{.form = Form::List, .fallible = true, .item = &text};
  MergeType leaf{.form = Form::Map, .atomic = true, .item = &any};
};

class CompareTest : public testing::Test {
 protected:
  std::string changes(std::string_view before, std::string_view after) {
    Comparison c = compare_objects(arena_, *read_json(before, arena_), *read_json(after, arena_), root_);
    return "+" + text(c.added) + "~" + text(c.modified) + "-" + text(c.removed);
  }
  std::string text(const FieldSet& s) { return s.empty() ? "" : to_json(to_fields(arena_, s)); }
  bool fits(std::string_view json) { return conforms(*read_json(json, arena_), root_, Source::Decoded); }

  Arena arena_;
  Fields fields_;
  MergeType root_{.form = Form::Map, .fallible = true, .item = &fields_.text, .fields = &fields_};
};

TEST_F(CompareTest, FieldsAndLeaves) {
  EXPECT_EQ(changes("{}", R"({"a":"1","leaf":{"x":1}})"), R"(+{"f:a":{},"f:leaf":{}}~-)");
  EXPECT_EQ(changes(R"({"a":"1","b":"2","leaf":{"x":1}})", R"({"a":"2","leaf":{"x":2}})"),
            R"(+~{"f:a":{},"f:leaf":{}}-{"f:b":{}})");
  EXPECT_EQ(changes(R"({"leaf":{"x":1,"y":[2.0]}})", R"({"leaf":{"y":[2],"x":1}})"), "+~-");
}

TEST_F(CompareTest, FreeDataIsGranularButForLists) {
  EXPECT_EQ(changes("{}", R"({"free":{"a":{},"b":[{"c":1}],"d":{"e":null}}})"),
            R"(+{"f:free":{".":{},"f:a":{},"f:b":{},"f:d":{".":{},"f:e":{}}}}~-)");
  EXPECT_EQ(changes(R"({"free":5})", R"({"free":{"a":1}})"), R"(+{"f:free":{"f:a":{}}}~{"f:free":{}}-)");
}

TEST_F(CompareTest, EmptyAndNullAreLeaves) {
  EXPECT_EQ(changes(R"({"ports":null})", R"({"ports":[]})"), R"(+~{"f:ports":{}}-)");
  EXPECT_EQ(changes(R"({"ports":[]})", R"({"ports":[{"port":1}]})"),
            R"(+{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}~-)");
}

TEST_F(CompareTest, ItemsByKeyAndSets) {
  EXPECT_EQ(changes(R"({"ports":[{"port":1,"name":"a"},{"port":2}]})",
                    R"({"ports":[{"port":2,"protocol":"TCP"},{"port":1,"name":"b"}]})"),
            R"(+{"f:ports":{"k:{\"port\":2,\"protocol\":\"TCP\"}":{"f:protocol":{}}}}~)"
            R"({"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{"f:name":{}}}}-)");
  EXPECT_EQ(changes(R"({"tags":["a","b"]})", R"({"tags":["c","b"]})"),
            R"(+{"f:tags":{"v:\"c\"":{}}}~-{"f:tags":{"v:\"a\"":{}}})");
}

TEST_F(CompareTest, RepeatedItemsAreOneLeaf) {
  EXPECT_EQ(changes("{}", R"({"ports":[{"port":1,"x":1},{"port":1,"x":2}]})"),
            R"(+{"f:ports":{".":{},"k:{\"port\":1,\"protocol\":\"TCP\"}":{}}}~-)");
  EXPECT_EQ(changes(R"({"tags":["a","a"]})", R"({"tags":["a"]})"),
            R"(+{"f:tags":{"v:\"a\"":{}}}~-{"f:tags":{"v:\"a\"":{}}})");
}

TEST_F(CompareTest, Conforms) {
  EXPECT_TRUE(fits(R"({"a":"x","b":null,"ports":[{"protocol":"UDP"}],"tags":["a"]})"));
  for (std::string_view json : {R"({"a":1})", R"({"tags":[null]})", R"({"tags":[{}]})", R"({"ports":[null]})",
                                R"({"ports":{}})", R"({"ports":[1]})", "[]"})
    EXPECT_FALSE(fits(json)) << json;
}

TEST_F(CompareTest, ReconcilesWithWhatBecameAtomic) {
  FieldSet set;
  ASSERT_TRUE(read_fields(
      arena_, *read_json(R"({"f:leaf":{"f:x":{}},"f:free":{"f:x":{}},"f:gone":{"f:y":{}}})", arena_), set));
  EXPECT_EQ(text(reconcile(arena_, set, root_)), R"({"f:free":{"f:x":{}},"f:gone":{"f:y":{}},"f:leaf":{}})");
}

}  // namespace
}  // namespace portcullis::ownership
