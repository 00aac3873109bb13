// Lists of type set and map: equality without order, and a `+` that merges. The left operand decides.
#include "interpreter/values/list_types.h"

#include <gtest/gtest.h>

#include <vector>

#include "interpreter/values/builder.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

class ListTypes : public ::testing::Test {
 protected:
  Value numbers(const std::vector<int>& given, uint8_t flags) {
    Value* items = arena.array<Value>(given.size());
    for (size_t i = 0; i < given.size(); ++i) new (&items[i]) Value(Value::integer(given[i]));
    return Value::list(items, given.size(), flags);
  }
  // A list of type map with the key "k", of objects {k, v}.
  Value objects(const std::vector<std::pair<int, int>>& given) {
    Value* key = arena.array<Value>(1);
    new (key) Value(Value::string("k"));
    Value* items = alloc_map_list(arena, Value::list(key, 1), given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      MapEntry* entries = alloc_entries(arena, 2);
      new (&entries[0]) MapEntry{Value::string("k"), Value::integer(given[i].first)};
      new (&entries[1]) MapEntry{Value::string("v"), Value::integer(given[i].second)};
      new (&items[i]) Value(make_map(entries, 2));
    }
    return Value::list(items, given.size(), kMapList);
  }
  bool same(const Value& a, const Value& b) { return equal(a, b, arena).is_true(); }
  std::string sum(const Value& a, const Value& b) { return to_json(add_special_lists(a, b, arena)); }

  Arena arena;
};

TEST_F(ListTypes, SetsIgnoreOrder) {
  EXPECT_TRUE(same(numbers({1, 2, 3}, kSetList), numbers({3, 1, 2}, kSetList)));
  EXPECT_TRUE(same(numbers({1, 2}, kSetList), numbers({2, 1}, kTypedList)));
  EXPECT_FALSE(same(numbers({1, 2}, kTypedList), numbers({2, 1}, kSetList)));
  EXPECT_FALSE(same(numbers({1, 2}, kSetList), numbers({1, 2, 3}, kSetList)));
  EXPECT_FALSE(same(numbers({1, 2, 2}, kSetList), numbers({1, 2, 3}, kSetList)));
  EXPECT_FALSE(same(numbers({1, 2, 3}, kSetList), numbers({1, 2, 2}, kSetList)));
}

TEST_F(ListTypes, SetsUnite) {
  EXPECT_EQ(sum(numbers({3, 1}, kSetList), numbers({2, 3, 4}, kTypedList)), "[3,1,2,4]");
  Value both = add_special_lists(numbers({3, 1}, kSetList), numbers({2}, kSetList), arena);
  EXPECT_TRUE(same(both, numbers({1, 2, 3}, kPlainList)));
}

TEST_F(ListTypes, PlainTypedListsKeepOrder) {
  EXPECT_EQ(sum(numbers({1, 2}, kTypedList), numbers({2}, kSetList)), "[1,2,2]");
  EXPECT_FALSE(same(numbers({1, 2}, kTypedList), numbers({2, 1}, kTypedList)));
}

TEST_F(ListTypes, MapListsMatchByKey) {
  EXPECT_TRUE(same(objects({{1, 10}, {2, 20}}), objects({{2, 20}, {1, 10}})));
  EXPECT_FALSE(same(objects({{1, 10}, {2, 20}}), objects({{2, 20}, {1, 11}})));
  EXPECT_FALSE(same(objects({{1, 10}}), objects({{2, 10}})));
}

TEST_F(ListTypes, MapListsMergeInPlace) {
  EXPECT_EQ(sum(objects({{1, 10}, {2, 20}}), objects({{3, 30}, {1, 11}})),
            R"([{"k":1,"v":11},{"k":2,"v":20},{"k":3,"v":30}])");
  Value merged = add_special_lists(objects({{1, 10}}), objects({{2, 20}}), arena);
  EXPECT_TRUE(same(merged, objects({{2, 20}, {1, 10}})));
}

TEST_F(ListTypes, SetsOfContainersAreErrors) {
  Value* items = arena.array<Value>(1);
  new (items) Value(numbers({1}, kTypedList));
  Value set = Value::list(items, 1, kSetList);
  EXPECT_TRUE(equal(set, set, arena).is_error());
}

}  // namespace
}  // namespace portcullis
