// Documents come out of their bytes as they were.
#include "cli/reading/packed_documents.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"
#include "interpreter/values/map.h"

namespace portcullis {
namespace {

// The documents of a text, and the same packed and unpacked.
struct Both {
  explicit Both(std::string text) {
    file.text = std::move(text);
    before = *read_documents(file.text, reader, arena);
    packed = pack(before);
    if (packed != nullptr) unpack(*packed, other, after);
  }

  SourceFile file;
  JsonReader reader;
  Arena arena, other;
  std::vector<YamlDocument> before, after;
  std::shared_ptr<const std::string> packed;
};

void expect_same(const Value& a, const Value& b) {
  ASSERT_EQ(a.kind(), b.kind());
  if (a.is(Kind::List)) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); i++) expect_same(a.as_list()[i], b.as_list()[i]);
  } else if (a.is(Kind::Map)) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); i++) {
      expect_same(a.as_map()[i].key, b.as_map()[i].key);
      expect_same(a.as_map()[i].value, b.as_map()[i].value);
    }
  } else if (a.is(Kind::String)) {
    EXPECT_EQ(a.as_text(), b.as_text());
  } else if (a.is(Kind::Double)) {
    EXPECT_EQ(std::bit_cast<uint64_t>(a.as_double()), std::bit_cast<uint64_t>(b.as_double()));
  } else {
    EXPECT_EQ(a.as_uint(), b.as_uint());
  }
}

TEST(PackedDocuments, ComeOutAsTheyWere) {
  std::string many = "many:\n";
  for (int i = 0; i < 300; i++)
    many += "  key-" + std::to_string(i) + ": " + std::to_string(i * i * i) + "\n";
  const Both both(
      "a: {b: [], c: {}, d: '', e: ~, f: true, g: false}\n"
      "---\n"
      "# nothing\n"
      "---\n"
      "- [0, 1, -1, 127, 128, -128, 9223372036854775807, -9223372036854775808]\n"
      "- [1.5, -0.0, 1e300, 18446744073709551615]\n"
      "- [é, \"a\\0b\", 日本]\n"
      "- {a: {a: {a: a}}}\n"
      "---\n" +
      many);
  ASSERT_NE(both.packed, nullptr);
  ASSERT_EQ(both.before.size(), 4U);
  ASSERT_EQ(both.after.size(), both.before.size());
  for (size_t i = 0; i < both.before.size(); i++) {
    const YamlDocument &a = both.before[i], &b = both.after[i];
    EXPECT_EQ(a.start, b.start);
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(std::tuple(a.line, a.column, a.index), std::tuple(b.line, b.column, b.index));
    expect_same(a.value, b.value);
  }
  const Value* found = find_path(both.after[3].value, "many.key-299");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->as_int(), 299 * 299 * 299);
}

TEST(PackedDocuments, OfLinesOfJson) {
  const Both both(R"({"a": 1, "b": [1.0, -2]} {"c": "\u00e9"})");
  ASSERT_NE(both.packed, nullptr);
  ASSERT_EQ(both.after.size(), 2U);
  EXPECT_EQ(both.after[1].column, 26);
  for (size_t i = 0; i < 2; i++) expect_same(both.before[i].value, both.after[i].value);
}

TEST(PackedDocuments, TakeNoMoreThanTheirText) {
  const Both small("a: &a [1, 2]\nb: *a\n");
  ASSERT_NE(small.packed, nullptr);
  expect_same(small.before[0].value, small.after[0].value);
  std::string text = "l0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 5; i++) {
    const std::string last = "*l" + std::to_string(i - 1);
    text += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + last + ", " + last + ", " + last +
            "]\n";
  }
  EXPECT_EQ(Both(text).packed, nullptr);
}

}  // namespace
}  // namespace portcullis
