// Arena: alignment, growth, reuse after reset.
#include "interpreter/values/arena.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(Arena, AlignsToSixteen) {
  Arena arena;
  for (size_t size : {1, 15, 16, 17, 4000}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.allocate(size)) % 16, 0u) << size;
  }
}

TEST(Arena, CopiesText) {
  Arena arena;
  std::string text = "abc";
  std::string_view copy = arena.copy(text);
  text = "xyz";
  EXPECT_EQ(copy, "abc");
  EXPECT_EQ(arena.copy(""), "");
}

TEST(Arena, ServesMoreThanTheLargestBlock) {
  Arena arena;
  char* p = static_cast<char*>(arena.allocate(Arena::kMaxBlock * 2));
  p[Arena::kMaxBlock * 2 - 1] = 1;
  EXPECT_GE(arena.reserved(), Arena::kMaxBlock * 2);
}

TEST(Arena, ReusesItsBlocksAfterReset) {
  Arena arena;
  auto fill = [&] {
    for (int i = 0; i < 1000; i++) arena.allocate(100);
  };
  fill();
  size_t reserved = arena.reserved();
  for (int round = 0; round < 10; round++) {
    arena.reset();
    fill();
  }
  EXPECT_EQ(arena.reserved(), reserved);
}

TEST(Arena, BoundsEndWhatAsksForMore) {
  Arena arena;
  {
    Arena::Bounds bounds(arena, 8 * Arena::kMaxBlock, 100);
    EXPECT_THROW(arena.array<char>(9 * Arena::kMaxBlock), BoundsExceeded);
    Arena::Bounds inner(arena, 100 * Arena::kMaxBlock, 1'000'000);  // no effect
    EXPECT_THROW(for (;;) arena.array<char>(1000), BoundsExceeded);
  }
  EXPECT_LE(arena.reserved(), 8 * Arena::kMaxBlock);
  arena.array<char>(9 * Arena::kMaxBlock);
  {
    Arena::Bounds bounds(arena, 1, 100);  // holds more already; a little is allowed, for an error's text
    arena.array<char>(Arena::kMaxBlock);
    for (int i = 0; i < 100; ++i) arena.step();
    EXPECT_THROW(arena.step(), BoundsExceeded);
  }
  for (int i = 0; i < 1000; ++i) arena.step();
  EXPECT_THROW(arena.array<uint64_t>(~size_t{0} / 8), BoundsExceeded);
}

TEST(Arena, KeepsSoMuchAndNoMore) {
  Arena arena;
  arena.array<char>(2 * Arena::kKept);
  arena.reset();
  EXPECT_LE(arena.reserved(), Arena::kKept);
  arena.array<char>(100);
}

}  // namespace
}  // namespace portcullis
