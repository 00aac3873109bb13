#include "admission/objects/document.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"
#include "tests/stack.h"

namespace portcullis {
namespace {

TEST(Document, KeepsRepeatedKeysDigitsAndPlaces) {
  const std::string_view text = R"( {"a": 1e400, "a": ["\ud83d\ude00\ud83d", true], "b": null} )";
  const Document d = *read_document(text);
  ASSERT_EQ(d.members.size(), 3u);
  EXPECT_EQ(d.members[0].second.text, "1e400");
  const Document* last = d.find("a");
  ASSERT_TRUE(last->is(Document::Kind::List));
  EXPECT_EQ(last->raw, R"(["\ud83d\ude00\ud83d", true])");
  EXPECT_EQ(last->items[0].text, "\U0001F600\uFFFD");
  EXPECT_TRUE(last->items[1].boolean);
  EXPECT_TRUE(d.find("b")->is(Document::Kind::Null));
  EXPECT_EQ(d.find("c"), nullptr);
}

void expect_errors_of_values() {
  Arena arena;
  const std::string deep(kMaxJsonDepth, '['), end(kMaxJsonDepth, ']');
  EXPECT_TRUE(read_document(deep + end).ok());
  for (const std::string& text :
       {std::string(""), std::string("{"), std::string("[1,]"), std::string("[1 2]"), std::string("{1:2}"),
        std::string("{\"a\" 1}"), std::string("{\"a\":1 2}"), std::string("-"), std::string("1.x"),
        std::string("1e"), std::string("tru"), std::string("nul!"), std::string("'a'"),
        std::string("\"a\n\""), std::string("\"\\x\""), std::string("\"\\u12g4\""), std::string("\"a"),
        std::string("1 2"), deep + "[" + end}) {
    const Result<Document> document = read_document(text);
    ASSERT_FALSE(document.ok()) << text;
    const Error& error = document.error();
    const Error other = read_json(text, arena).error();
    EXPECT_EQ(error.text, other.text);
    EXPECT_EQ(std::pair(error.position.line, error.position.column),
              std::pair(other.position.line, other.position.column));
  }
  const Error error = read_document("[1,\n \"\u00e9\",]").error();
  EXPECT_EQ(error.text, "invalid character ']' looking for beginning of value");
  EXPECT_EQ(std::pair(error.position.line, error.position.column), std::pair(2, 6));
}

// Sanitizers have larger frames.
TEST(Document, FailsAsTheReaderOfValues) { in_stack(kLargeStack, expect_errors_of_values); }

}  // namespace
}  // namespace portcullis
