#include "manifests/place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "manifests/documents.h"

namespace portcullis {
namespace {

// The place of `needle` within the value of `e` of a document, as the walk finds it.
std::string place(std::string_view file, std::string_view needle) {
  Arena arena;
  JsonReader reader;
  auto documents = read_documents(file, reader, arena);
  if (!documents.ok()) return documents.error().text;
  const YamlDocument& document = documents->at(0);
  std::string text(find_key(document.value, Value::string("e"))->as_text());
  auto found = place_in_scalar(file, locate(file, document, "e"), text, text.find(needle));
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

TEST(Place, OfAllBytes) {
  const std::string file = "e: |\n  \u00fc &&\n    b\n";
  Arena arena;
  JsonReader reader;
  const YamlDocument document = read_documents(file, reader, arena)->at(0);
  const std::string_view text = find_key(document.value, Value::string("e"))->as_text();
  std::string places;
  for (Position p : places_in_scalar(file, locate(file, document, "e"), text))
    places += std::to_string(p.line) + ":" + std::to_string(p.column) + " ";
  EXPECT_EQ(places, "2:3 2:3 0:0 2:5 2:6 0:0 0:0 0:0 3:5 0:0 ");
  EXPECT_TRUE(places_in_scalar(file, locate(file, document, "e"), "other").empty());
}

TEST(Place, OfLargeTextsInAnyOrder) {
  std::string lines;
  for (int i = 0; i < 20'000; i++) lines += "ab\u00fcc\n";
  const SourceText text(lines);
  for (Position p : {Position{1, 1}, {3, 4}, {3, 2}, {19'999, 4}, {19'999, 9}, {2, 1}, {20'000, 3}}) {
    size_t line = static_cast<size_t>(p.line - 1) * 6;
    constexpr size_t kColumns[] = {0, 1, 2, 4, 5};
    EXPECT_EQ(offset_in(text, p), line + kColumns[std::min(p.column, 5) - 1]) << p.line << ":" << p.column;
    EXPECT_EQ(find_place(text, p)->line_start, line);
  }
  EXPECT_FALSE(find_place(text, {20'002, 1}));
  EXPECT_EQ(offset_in(text, {20'002, 1}), lines.size());

  std::string line;
  for (int i = 0; i < 50'000; i++) line += "a\u00fc";
  const SourceText one_line(line);
  for (int pair : {40'000, 1, 30'000, 49'999}) {
    EXPECT_EQ(offset_in(one_line, {1, 2 * pair + 1}), static_cast<size_t>(pair) * 3);
    EXPECT_EQ(offset_in(one_line, {1, 2 * pair + 2}), static_cast<size_t>(pair) * 3 + 1);
  }
  EXPECT_EQ(offset_in(one_line, {1, 200'000}), line.size());
}

TEST(Place, OfATextInTheMemoryOfAnother) {
  std::string text(200'000, '\n');
  EXPECT_EQ(offset_in(text, {100'000, 1}), 99'999u);
  std::ranges::fill(text, 'a');
  text[5] = '\n';
  EXPECT_FALSE(find_place(text, {100'000, 1}));
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
