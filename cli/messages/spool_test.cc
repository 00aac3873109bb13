#include "cli/messages/spool.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

std::string text_of(const Spool& spool) {
  std::string out;
  EXPECT_TRUE(spool.each([&](std::string_view piece) { out += piece; }));
  return out;
}

TEST(Spool, GivesBackWhatItTook) {
  for (size_t in_memory : {size_t{0}, size_t{10}, size_t{1} << 20}) {
    Spool spool(in_memory);
    EXPECT_TRUE(spool.empty());
    std::string all;
    for (int i = 0; i < 20'000; i++) {
      const std::string line = "line " + std::to_string(i) + "\n";
      spool.add(line);
      all += line;
      if (i == 12'345) {
        EXPECT_EQ(text_of(spool), all);  // and goes on
      }
    }
    EXPECT_FALSE(spool.empty());
    EXPECT_EQ(text_of(spool), all);
    EXPECT_EQ(text_of(spool), all);
  }
}

}  // namespace
}  // namespace portcullis
