#include "manifests/positions.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

std::string at(std::string_view text, std::string_view path, bool key = false) {
  Position p = Positions(text).find(path, key);
  return std::to_string(p.line) + ":" + std::to_string(p.column);
}

constexpr std::string_view kYaml =
    "spec:\n  rules:\n  - x: 1\n    y:\n      k.l/m: 2\n  - x: &a [3, 4]\n  - *a\n";

TEST(Positions, OfYaml) {
  EXPECT_EQ(at(kYaml, ""), "1:1");
  EXPECT_EQ(at(kYaml, "spec"), "2:3");
  EXPECT_EQ(at(kYaml, "spec", true), "1:1");
  EXPECT_EQ(at(kYaml, "spec.rules[1].x"), "6:8");
  EXPECT_EQ(at(kYaml, "spec.rules[1].x[1]"), "6:15");
  EXPECT_EQ(at(kYaml, "spec.rules[0].y[k.l/m]"), "5:14");
  EXPECT_EQ(at(kYaml, "spec.rules[0].y[k.l/m]", true), "5:7");
}

TEST(Positions, OfNamesWithBrackets) {
  constexpr std::string_view kNames = "a:\n  x]y: 1\n  x: {z: 2}\n  p[0]: {\"q].r\": 3}\n";
  EXPECT_EQ(at(kNames, "a[x]y]"), "2:8");
  EXPECT_EQ(at(kNames, "a[x].z"), "3:10");
  EXPECT_EQ(at(kNames, "a[p[0]][q].r]"), "4:18");
  EXPECT_EQ(at(kNames, "a" + ("[" + std::string(100'000, ']'))), "2:3");
}

TEST(Positions, OfPathsThatLeadNowhere) {
  EXPECT_EQ(at(kYaml, "spec.rules[5].x"), "3:3");
  EXPECT_EQ(at(kYaml, "spec.rules[2][0]"), "7:5");  // aliases have no children
  EXPECT_EQ(at(kYaml, "spec.rules[99999999999999999999999]"), "3:3");
  EXPECT_EQ(at(kYaml, "spec.rules[]"), "3:3");
  EXPECT_EQ(at(kYaml, "spec.rules[0"), "3:3");
  EXPECT_EQ(at(kYaml, "nothing"), "1:1");
  EXPECT_EQ(at("", "a.b"), "1:1");
  EXPECT_EQ(at("a: {b: [1\nc", "a.b[0]"), "1:9");  // up to the syntax error
}

TEST(Positions, OfJson) {
  constexpr std::string_view kJson =
      "\n{\"a\": {\"\": [], \"b\": [1, {\"c\\/d\": null, \"é\": \"}\\\"\"}, true]},\n \"e\":2}";
  EXPECT_EQ(at(kJson, ""), "2:1");
  EXPECT_EQ(at(kJson, "a"), "2:7");
  EXPECT_EQ(at(kJson, "a.b", true), "2:16");
  EXPECT_EQ(at(kJson, "a.b[1].é"), "2:45");
  EXPECT_EQ(at(kJson, "a.b[2]"), "2:53");
  EXPECT_EQ(at(kJson, "e"), "3:6");
  EXPECT_EQ(at("{\"a\": \"\\ud83d\\ude00\", \"b\": 1}", "b"), "1:28");
  EXPECT_EQ(at("{\"a\": [1, \"", "a[1]"), "1:11");
  EXPECT_EQ(at("{\"a\\", "a"), "1:1");
}

TEST(Positions, RepeatedKeys) {
  EXPECT_FALSE(Positions(R"({"a": {"a": 1}, "b": {"a": [{"a": 1}, {"a": 2}]}})").repeated_key());
  auto found = Positions("{\"a\": {\"b\": 1, \"c\": 2,\n \"b\": 3}}").repeated_key();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, "b");
  EXPECT_EQ(found->second.line, 2);
  EXPECT_EQ(found->second.column, 2);
}

TEST(Positions, RootWithoutTheRest) {
  EXPECT_EQ(root_position("# text\n\na: 1\n").line, 3);
  EXPECT_EQ(root_position(" {\"a\": 1}").column, 2);
  EXPECT_EQ(root_position("").line, 1);
}

// A lookup does not walk through the document.
TEST(Positions, OfLongLists) {
  std::string text = "items:\n";
  for (int i = 0; i < 20000; i++) text += "- {name: x}\n";
  Positions positions(text);
  for (int i = 0; i < 20000; i++)
    ASSERT_EQ(positions.find("items[" + std::to_string(i) + "].name", false).line, i + 2);
}

}  // namespace
}  // namespace portcullis
