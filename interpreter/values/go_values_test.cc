// Parts of Go structs, where they differ from plain lists and maps.
#include "interpreter/values/go_values.h"

#include <gtest/gtest.h>

#include <string>

#include "interpreter/run/access.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

class GoValues : public ::testing::Test {
 protected:
  Value json(std::string_view text) { return *read_json(text, arena); }
  Value structure(std::string_view text) { return json(text).with_more_flags(kGoStruct); }
  Value list(std::string_view text) { return json(text).with_more_flags(kGoList); }
  Value map(std::string_view text) { return json(text).with_more_flags(kGoMap); }
  std::string compared(const Value& a, const Value& b) {
    Value same = equal(a, b, arena);
    return same.is_error() ? std::string(same.as_error().message) : same.is_true() ? "true" : "false";
  }
  std::string indexed(const Value& object, const Value& key, bool presence = false) {
    Value out;
    Found found = find_qualified(object, key, presence ? Ask::Presence : Ask::Value, arena, out);
    if (out.is_error()) return std::string(out.as_error().message);
    return found == Found::No ? "absent" : to_json(out);
  }

  Arena arena;
};

TEST_F(GoValues, AreNotComparedWithScalars) {
  EXPECT_EQ(compared(structure("{}"), Value::integer(1)), "no such overload");
  EXPECT_EQ(compared(map("{}"), Value::string("")), "no such overload");
  EXPECT_EQ(compared(list("[]"), json("{}")), "no such overload");
  EXPECT_EQ(compared(Value::integer(1), structure("{}")), "false");
  EXPECT_EQ(compared(structure("{}"), Value::null()), "false");
}

TEST_F(GoValues, AreComparedByParts) {
  EXPECT_EQ(compared(structure(R"({"a":"x"})"), json(R"({"a":"x"})")), "true");
  EXPECT_EQ(compared(json(R"({"a":"x"})"), structure(R"({"a":"x"})")), "true");
  EXPECT_EQ(compared(list("[1,2]"), json("[1.0,2.0]")), "true");
  EXPECT_EQ(compared(list("[1,2]"), json("[1]")), "false");
}

TEST_F(GoValues, StructsOfDifferentTypesAreUnequal) {
  Value a = json(R"({"a":"x"})").as_go_struct(7), b = json(R"({"a":"x"})").as_go_struct(8);
  EXPECT_EQ(compared(a, b), "false");
  EXPECT_EQ(compared(b, b), "true");
  EXPECT_EQ(compared(a, json(R"({"a":"x"})")), "true");
}

TEST_F(GoValues, ErrorsOfPartsMakeListsAndMapsUnequalButNotStructs) {
  MapEntry* entries = alloc_entries(arena, 1);
  entries[0] = {Value::string("a"), structure("{}")};
  Value inside = make_map(entries, 1), other = json(R"({"a":1})");
  EXPECT_EQ(compared(inside.with_more_flags(kGoStruct), other), "no such overload");
  EXPECT_EQ(compared(inside.with_more_flags(kGoMap), other), "false");
  EXPECT_EQ(compared(inside, other), "true");  // cel-go's own maps ignore errors
}

TEST_F(GoValues, KeysAreStringsAndIndicesInts) {
  EXPECT_EQ(indexed(structure("{}"), Value::integer(1)), "unsupported map key type: types.Int");
  EXPECT_EQ(indexed(map("{}"), Value::boolean(true), true), "unsupported map key type: types.Bool");
  EXPECT_EQ(indexed(list("[7]"), Value::uinteger(0)), "unsupported index type: types.Uint");
  EXPECT_EQ(indexed(list("[7]"), Value::real(1)), "index out of bounds: 1");
  EXPECT_EQ(indexed(list("[7]"), Value::integer(0)), "7");
  EXPECT_EQ(indexed(structure(R"({"a":7})"), Value::string("a")), "7");
}

}  // namespace
}  // namespace portcullis
