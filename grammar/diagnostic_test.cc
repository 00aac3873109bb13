#include "grammar/diagnostic.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(Render, ShowsLineAndCaret) {
  const Source source("a\n\tb + c");
  EXPECT_EQ(render(source, Diagnostic{5, "no"}), "ERROR: <input>:2:4: no\n |  b + c\n | ...^");
}

TEST(Render, UsesWideMarkersBelowWideCharacters) {
  EXPECT_EQ(render(Source("日本é"), Diagnostic{2, "no"}), "ERROR: <input>:1:3: no\n | 日本é\n | ．．＾");
}

TEST(Render, LeavesOutLinesThatAreNotThereOrTooLong) {
  EXPECT_EQ(render(Source("a"), Diagnostic{kNoOffset, "no"}), "ERROR: <input>:-1:0: no");
  EXPECT_EQ(render(Source(std::string(16385, 'a')), Diagnostic{0, "no"}), "ERROR: <input>:1:1: no");
}

TEST(Render, SortsStablyAndCountsTheRest) {
  const Source source("ab", "x.cel");
  Diagnostics all;
  all.report(1, "b");
  all.report(0, "first");
  all.report(0, "second");
  EXPECT_EQ(render(source, all),
            "ERROR: x.cel:1:1: first\n | ab\n | ^\nERROR: x.cel:1:1: second\n | ab\n | ^\n"
            "ERROR: x.cel:1:2: b\n | ab\n | .^");
  for (size_t i = 3; i < kMaxDiagnostics + 2; ++i) all.report(0, "more");
  EXPECT_EQ(all.items().size(), kMaxDiagnostics);
  EXPECT_TRUE(render(source, all).ends_with("\n2 more errors were truncated"));
}

}  // namespace
}  // namespace portcullis
