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

TEST(Arena, StepsAreStopped) {
  struct Third final : Arena::Stop {
    using Stop::Stop;
    bool wanted() const override { return ++asked == 3; }
    mutable int asked = 0;
  };
  Arena arena;
  uint64_t steps = 0;
  auto step = [&] {
    for (;; ++steps) arena.step();
  };
  {
    Arena::Bounds bounds(arena, 1, 10 * Arena::kStepsBetween);
    Third third(arena), inner(arena);
    EXPECT_THROW(step(), BoundsExceeded);
    EXPECT_EQ(steps, 3 * Arena::kStepsBetween);
    EXPECT_THROW(step(), BoundsExceeded);
    EXPECT_EQ(steps, 3 * Arena::kStepsBetween);
    EXPECT_EQ(inner.asked, 0);
  }
  // The bounds hold as well, during a Stop and after one.
  for (uint64_t bound : {uint64_t{7}, Arena::kStepsBetween, Arena::kStepsBetween + 7}) {
    steps = 0;
    Arena::Bounds bounds(arena, 1, bound);
    {
      Third third(arena);
      arena.step();
    }
    Third third(arena);
    EXPECT_THROW(step(), BoundsExceeded);
    EXPECT_EQ(steps, bound - 1);
  }
  Third third(arena);
  for (uint64_t i = 0; i < 2 * Arena::kStepsBetween; ++i) arena.step();
  EXPECT_EQ(third.asked, 1);
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
