// Maps with many keys: which entry is found, which of equal keys wins, that nobody can choose keys that
// collide, and which keys are the same.
#include "interpreter/values/map.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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
  Value map = make_map(entries, kMany + 1);
  ASSERT_EQ(map.size(), kMany);
  for (size_t i = 0; i < kMany; ++i)
    EXPECT_EQ(find_key(map, key(arena, i))->as_int(), i == 7 ? -1 : static_cast<int64_t>(i));
  EXPECT_EQ(find_key(map, key(arena, kMany)), nullptr);
}

// Made before main().
Arena early_arena;
const Value kEarly = [] {
  MapEntry* entries = alloc_entries(early_arena, kMany);
  for (size_t i = 0; i < kMany; ++i) new (&entries[i]) MapEntry{key(early_arena, i), Value::null()};
  return make_map(entries, kMany);
}();

TEST(Map, MadeBeforeMain) {
  for (size_t i = 0; i < kMany; ++i) EXPECT_NE(find_key(kEarly, key(early_arena, i)), nullptr) << i;
}

TEST(Map, EmptyKeyWithoutAnAddress) {  // a fault for UBSan
  Arena arena;
  MapEntry* entries = alloc_entries(arena, kMany + 1);
  for (size_t i = 0; i < kMany; ++i) new (&entries[i]) MapEntry{key(arena, i), Value::null()};
  new (&entries[kMany]) MapEntry{Value::string({}), Value::integer(1)};
  EXPECT_EQ(find_key(make_map(entries, kMany + 1), Value::string(""))->as_int(), 1);
}

TEST(Map, MoreThanItCanCount) {
  Arena arena;
  EXPECT_THROW(alloc_entries(arena, size_t{1} << 32), BoundsExceeded);
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

// The hash without a secret that this folder once had; with it, anybody can choose keys that share one slot.
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
  EXPECT_GT(places.size(), kMany / 3);  // 63 % of the slots are expected for random keys
}

TEST(SameKey, TimesByTheirInstant) {
  auto time = [](int64_t seconds, int16_t offset) { return Value::timestamp(seconds, 5, offset); };
  EXPECT_TRUE(same_key(time(7, 60), time(7, -1500)));
  EXPECT_EQ(hash_key(time(7, 60)), hash_key(time(7, -1500)));
  EXPECT_FALSE(same_key(time(7, 60), time(8, 60)));
  EXPECT_EQ(time(7, -1500).offset_minutes(), -1500);
  EXPECT_EQ(time(7, -1500).nanos(), 5u);
}

TEST(SameKey, WhatCannotBeAKey) {
  EXPECT_TRUE(can_be_key(Value::null()));
  EXPECT_TRUE(can_be_key(Value::type("int")));
  for (const Value& v :
       {Value::bytes("a"), Value::list(nullptr, 0), Value::map(nullptr, 0), Value::optional(nullptr)})
    EXPECT_FALSE(can_be_key(v));
}

}  // namespace
}  // namespace portcullis
