// SharedMap: what copies share, and what changes leave.
#include "admission/engine/shared_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace portcullis {
namespace {

struct Thing {
  std::string space, name;
  int value;
  SharedMapKey map_key() const { return {space, name}; }
};
using Map = SharedMap<Thing>;
using Plain = std::map<std::pair<std::string, std::string>, int>;

std::shared_ptr<const Thing> thing(std::string space, std::string name, int value) {
  return std::make_shared<const Thing>(std::move(space), std::move(name), value);
}

void expect_same(const Map& map, const Plain& plain) {
  ASSERT_EQ(map.size(), plain.size());
  Plain found;
  for (const char* space : {"", "a", "a-b", "b", "c"}) {
    std::string last;
    map.each(space, [&](const Thing& t) {
      EXPECT_EQ(t.space, space);
      EXPECT_TRUE(last.empty() || last < t.name);
      last = t.name;
      found[{t.space, t.name}] = t.value;
    });
  }
  EXPECT_EQ(found, plain);
  for (const auto& [key, value] : plain) {
    const Thing* t = map.find(key);
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->value, value);
  }
  EXPECT_EQ(map.find({"a", "nobody"}), nullptr);
}

TEST(SharedMap, ChangesLeaveCopiesAsTheyAre) {
  std::minstd_rand random(1);
  const char* const spaces[] = {"", "a", "a-b", "b"};
  Map map;
  Plain plain;
  expect_same(map, plain);
  for (int round = 0; round < 60; round++) {
    const Map map_before = map;
    const Plain plain_before = plain;
    // Many, then few changes; now and then most is taken away.
    std::vector<std::shared_ptr<const Thing>> alive;
    std::vector<Map::Change> changes;
    for (size_t i = 0; i < (round % 3 == 0 ? 900 : 5); i++) {
      auto t = thing(spaces[random() % 4], "n" + std::to_string(random() % 700), round);
      const bool gone = random() % 10 < (round % 9 == 3 ? 9 : 3);
      changes.push_back({t->map_key(), gone ? nullptr : t});
      if (gone)
        plain.erase({t->space, t->name});
      else
        plain[{t->space, t->name}] = t->value;
      alive.push_back(std::move(t));
    }
    map.change(std::move(changes));
    expect_same(map, plain);
    expect_same(map_before, plain_before);
  }
}

TEST(SharedMap, CopiesShareTheirItems) {
  Map map;
  std::vector<Map::Change> changes;
  for (int i = 0; i < 1000; i++) {
    auto t = thing("a", std::to_string(i), i);
    changes.push_back({t->map_key(), t});
  }
  map.change(std::move(changes));
  Map other = map;
  auto t = thing("a", "7", 70);
  other.change({{t->map_key(), t}});
  EXPECT_EQ(map.find({"a", "8"}), other.find({"a", "8"}));
  EXPECT_EQ(map.find({"a", "7"})->value, 7);
  EXPECT_EQ(other.find({"a", "7"})->value, 70);
}

}  // namespace
}  // namespace portcullis
