#include "cli/place.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/yaml.h"

namespace portcullis {
namespace {

// The place of `needle` within the value of `e` of a document, found through the walk.
std::string place(std::string_view file, std::string_view needle) {
  Arena arena;
  JsonReader reader;
  auto documents = read_documents(file, reader, arena);
  if (!documents.ok()) return documents.error().text;
  const YamlDocument& document = documents->at(0);
  std::string text(find_key(document.value, Value::string("e"))->as_text());
  auto found = place_in_scalar(file, locate(document, "e"), text, text.find(needle));
  return found ? std::to_string(found->line) + ":" + std::to_string(found->column) : "nowhere";
}

TEST(Place, InEveryStyle) {
  EXPECT_EQ(place("e: a && ip(b)\n", "ip"), "1:9");
  EXPECT_EQ(place("e: |\n  a &&\n    ip(b)\n", "ip"), "3:5");
  EXPECT_EQ(place("e: >-\n  a &&\n\n  ip(b)\n", "ip"), "4:3");
  EXPECT_EQ(place("e: 'a == ''x'' && ip(b)'\n", "ip"), "1:19");
  EXPECT_EQ(place("e: \"a == \\\"x\\\" &&\\n ip(b)\"\n", "ip"), "1:21");
  EXPECT_EQ(place("e: a &&\n  ip(b)\n", "ip"), "2:3");
  EXPECT_EQ(place("e: &x !!str |\n  a && ip(b)\n", "ip"), "2:8");
  EXPECT_EQ(place("{\"e\": \"'\\u00fc\\u00e4' == ip\"}", "ip"), "1:26");
  EXPECT_EQ(place("{\"e\": \"'\\ud83d\\ude00' == ip\"}", "ip"), "1:26");
  EXPECT_EQ(place("e: \"'\\U0001F600' == ip\"", "ip"), "1:21");
  EXPECT_EQ(place("e: |\n  'ü€😀' == ip\n", "ip"), "2:12");
}

TEST(Place, ReadsIssues) {
  auto issues = cel_issues(
      "compilation failed: ERROR: <input>:1:3: one: thing\n | abc\n | ..^\nERROR: <input>:12:1: other\n | "
      "x\n | ^");
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[0].position.column, 3);
  EXPECT_EQ(issues[0].text, "one: thing");
  EXPECT_EQ(issues[1].position.line, 12);
  EXPECT_EQ(issues[1].text, "other");
  EXPECT_TRUE(cel_issues("must evaluate to bool but got int").empty());
}

}  // namespace
}  // namespace portcullis
