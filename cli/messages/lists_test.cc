#include "cli/messages/lists.h"

#include <gmock/gmock.h>

namespace portcullis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Words = std::vector<std::string>;

TEST(Lists, HaveAWordBeforeTheLast) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}, " or "), "a, b or c");
}

TEST(Lists, SayHowManyMoreThereAre) {
  EXPECT_EQ(first_few(Words{}, 2), "");
  EXPECT_EQ(first_few(Words{"a", "b"}, 2), "a, b");
  EXPECT_EQ(first_few(Words{"a", "b", "c", "d"}, 2), "a, b and 2 more");
  EXPECT_EQ(first_few(Words{"a", "bb"}, 2, [](const std::string& w) { return std::to_string(w.size()); }),
            "1, 2");
}

TEST(Lists, LinesHaveNoEnds) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("a"), ElementsAre("a"));
  EXPECT_THAT(lines_of("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
}

}  // namespace
}  // namespace portcullis
