#include "interpreter/values/changed.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis {
namespace {

TEST(Changed, MembersOfAMap) {
  Arena arena;
  const Value map = *read_json(R"({"a":1,"b":2})", arena), three = Value::integer(3);
  const auto text = [](const Value& v) { return to_json(v) + (v.flags() & kNativeMap ? " native" : ""); };
  EXPECT_EQ(text(with_member(arena, map, "a", three)), R"({"a":3,"b":2} native)");
  EXPECT_EQ(text(with_member(arena, map, "c", three)), R"({"a":1,"b":2,"c":3} native)");
  EXPECT_EQ(text(with_member(arena, no_members(), "c", three)), R"({"c":3} native)");
  EXPECT_EQ(text(with_member(arena, Value::null(), "c", three)), R"({"c":3})");
  EXPECT_EQ(text(without_member(arena, map, "a")), R"({"b":2} native)");
  EXPECT_EQ(text(without_member(arena, map, "c")), R"({"a":1,"b":2} native)");
  EXPECT_EQ(text(without_member(arena, three, "c")), "3");
}

TEST(Changed, PartsThatStayAreShared) {
  Arena arena;
  const Value list = *read_json(R"([{"a":1},2])", arena);
  const auto same = [](const Value& v) { return v; };
  EXPECT_TRUE(with_changed_items(arena, list, same).is_identical(list));
  const Value made =
      with_changed_items(arena, list, [](const Value& v) { return v.is(Kind::Int) ? Value::integer(3) : v; });
  EXPECT_EQ(to_json(made), R"([{"a":1},3])");
  EXPECT_TRUE(made.as_list()[0].is_identical(list.as_list()[0]));
}

}  // namespace
}  // namespace portcullis
