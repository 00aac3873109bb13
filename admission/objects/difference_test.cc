#include "admission/objects/difference.h"

#include <gtest/gtest.h>

#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

struct Case {
  std::string_view before, after, patch;
};

class Differences : public ::testing::Test {
 protected:
  std::vector<Difference> of(std::string_view before, std::string_view after) {
    return differences(*read_json(before, arena_), *read_json(after, arena_));
  }
  Arena arena_;
};

TEST_F(Differences, ArePatches) {
  const Case cases[] = {
      {R"({"a":{"b":1,"c":2}})", R"({"a":{"c":2,"b":1}})", "[]"},
      {R"({"a":1})", R"({"a":"1"})", R"([{"op":"replace","path":"/a","value":"1"}])"},
      {R"({"a":1,"b":2})", R"({"b":2,"c":null})",
       R"([{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":null}])"},
      {R"({"a/b":{"c~d":1}})", R"({"a/b":{"c~d":2}})", R"([{"op":"replace","path":"/a~1b/c~0d","value":2}])"},
      {"[1,2,3]", "[1,3]", R"([{"op":"remove","path":"/1"}])"},
      {"[1,3]", "[1,2,3]", R"([{"op":"add","path":"/1","value":2}])"},
      {"[1]", "[1,2]", R"([{"op":"add","path":"/-","value":2}])"},
      {"[]", R"(["a","b"])",
       R"([{"op":"add","path":"/-","value":"a"},{"op":"add","path":"/-","value":"b"}])"},
      {"[1,2]", "[]", R"([{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}])"},
      {"[1,2]", "[1,9]", R"([{"op":"replace","path":"/1","value":9}])"},
      // An item inserted at the front is one change; items of the same name are paired.
      {R"([{"name":"a","x":1}])", R"([{"name":"z"},{"name":"a","x":2}])",
       R"([{"op":"add","path":"/0","value":{"name":"z"}},{"op":"replace","path":"/1/x","value":2}])"},
      {R"([{"name":"a","x":1},{"name":"b"}])", R"([{"name":"b"},{"name":"c"}])",
       R"([{"op":"remove","path":"/0"},{"op":"add","path":"/-","value":{"name":"c"}}])"},
      {R"({"a":[1]})", R"({"a":{"b":1}})", R"([{"op":"replace","path":"/a","value":{"b":1}}])"},
      {"1", R"({"a":1})", R"([{"op":"replace","path":"","value":{"a":1}}])"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(json_patch_text(of(c.before, c.after)), c.patch) << c.before << c.after;
}

TEST_F(Differences, NameTheFieldsForPeople) {
  auto found = of(R"({"metadata":{"labels":{"a/b":"1"}},"spec":{"containers":[{"name":"x","image":"1"}]}})",
                  R"({"metadata":{"labels":{"a/b":"2"}},"spec":{"containers":[{"name":"x","image":"2"}]}})");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "metadata.labels[a/b]");
  EXPECT_EQ(found[1].path, "spec.containers[0].image");
}

TEST_F(Differences, OfLongListsAreBounded) {
  std::string before = "[", after = "[";
  for (int i = 0; i < 20'000; i++) {
    before += std::to_string(i) + ",";
    after += std::to_string(i + 100'000) + ",";
  }
  before.back() = after.back() = ']';
  EXPECT_EQ(of(before, after).size(), 20'000u);
}

}  // namespace
}  // namespace portcullis
