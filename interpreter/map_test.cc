// Maps of many keys: what is found, what wins, that nobody can aim keys at one place of the index, and which
// keys are the same.
#include "interpreter/map.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "interpreter/native.h"

namespace portcullis {
namespace {

constexpr size_t kMany = 1000;

Value key(Arena& arena, size_t i) { return Value::string(arena.copy("key" + std::to_string(i))); }

TEST(Map, LargeOnesAreFoundByTheirIndex) {
  Arena arena;
  MapEntry* entries = alloc_entries(arena, kMany + 1);
  for (size_t i = 0; i < kMany; ++i)
    new (&entries[i]) MapEntry{key(arena, i), Value::integer(static_cast<int64_t>(i))};
  new (&entries[kMany]) MapEntry{key(arena, 7), Value::integer(-1)};
  Value map = make_map(arena, entries, kMany + 1);
  ASSERT_EQ(map.size(), kMany);
  for (size_t i = 0; i < kMany; ++i)
    EXPECT_EQ(find_key(map, key(arena, i))->as_int(), i == 7 ? -1 : static_cast<int64_t>(i));
  EXPECT_EQ(find_key(map, key(arena, kMany)), nullptr);
}

TEST(Map, InsertingManyKeepsEarlierMaps) {
  Arena arena;
  Value empty = Value::map(nullptr, 0), map = empty, half;
  for (size_t i = 0; i < kMany; ++i) {
    map = insert_entry(arena, map, key(arena, i), Value::null());
    if (i == kMany / 2) half = map;
  }
  EXPECT_EQ(map.size(), kMany);
  EXPECT_NE(find_key(map, key(arena, kMany - 1)), nullptr);
  EXPECT_EQ(half.size(), kMany / 2 + 1);
  EXPECT_EQ(find_key(half, key(arena, kMany - 1)), nullptr);
}

// A hash without a secret, as it was here once: with it, keys can be chosen that all fall on one place.
uint64_t known_mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

TEST(Map, ChosenKeysFallOnManyPlaces) {
  constexpr uint64_t kPlaces = 1023;
  Arena arena;
  std::set<uint64_t> places;
  size_t chosen = 0;
  for (size_t i = 0; chosen < kMany; ++i) {
    std::string text = std::to_string(10'000'000 + i);
    Value made = Value::string(arena.copy(text));
    uint64_t word;
    memcpy(&word, text.data(), sizeof word);
    if ((known_mix(known_mix(made.raw_head() ^ word)) & kPlaces) != 0) continue;
    ++chosen;
    places.insert(hash_key(made) & kPlaces);
  }
  EXPECT_GT(places.size(), kMany / 3);  // 63 % of the places, if they are chosen at random
}

TEST(SameKey, DataIsAnObjectOnceItIsWrapped) {
  Arena arena;
  Value one = Value::integer(1);
  for (const Value& data :
       {Value::list(&one, 1, kNativeList), Value::list(nullptr, 0), Value::map(nullptr, 0, kNativeMap)}) {
    EXPECT_FALSE(same_key(data, data));
    Value a = wrapped(data, arena), b = wrapped(data, arena);
    EXPECT_TRUE(same_key(a, a));
    EXPECT_TRUE(same_key(a, wrapped(a, arena)));
    EXPECT_FALSE(same_key(a, b));
    EXPECT_EQ(a.size(), data.size());
    EXPECT_EQ(a.flags(), data.flags());
  }
}

TEST(SameKey, WhatAnExpressionMadeIsOneObject) {
  Arena arena;
  Value one = Value::integer(1), same = Value::integer(1);
  Value a = Value::list(&one, 1), b = Value::list(&same, 1);
  EXPECT_TRUE(same_key(a, a));
  EXPECT_TRUE(same_key(a, wrapped(a, arena)));
  EXPECT_FALSE(same_key(a, b));
}

TEST(SameKey, PartsOfGoStructsAreOneObject) {
  Arena arena;
  Value one = Value::integer(1), same = Value::integer(1);
  Value a = Value::list(&one, 1, kGoList), b = Value::list(&same, 1, kGoList);
  EXPECT_TRUE(same_key(a, a));
  EXPECT_TRUE(same_key(a, wrapped(a, arena)));
  EXPECT_FALSE(same_key(a, b));
}

TEST(SameKey, AnOptionalIsNewWhereAVariableNamesIt) {
  Arena arena;
  Value inner = wrapped(Value::list(nullptr, 0), arena);
  Value held = Value::optional(&inner);
  EXPECT_TRUE(same_key(held, wrapped(held, arena)));
  EXPECT_FALSE(same_key(held, named(held, arena)));
  EXPECT_TRUE(same_key(inner, *named(held, arena).as_optional()));
  Value none = Value::optional(nullptr);
  EXPECT_TRUE(same_key(none, named(none, arena)));
}

TEST(SameKey, TimesByTheirZones) {
  auto time = [](int16_t offset, uint16_t zone) { return Value::timestamp(0, 0, offset, zone); };
  EXPECT_TRUE(same_key(time(60, 0), time(60, 0)));
  EXPECT_FALSE(same_key(time(330, 0), time(330, 0)));
  EXPECT_TRUE(same_key(time(330, 7), time(330, 7)));
  EXPECT_FALSE(same_key(time(330, 7), time(330, 8)));
  EXPECT_FALSE(same_key(time(0, 0), time(0, 1)));
  EXPECT_EQ(time(-1500, 4095).offset_minutes(), -1500);
  EXPECT_EQ(time(1500, 4095).zone(), 4095);
}

}  // namespace
}  // namespace portcullis
