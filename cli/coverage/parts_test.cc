// Which nodes are parts, what they count as, and where they stand.
#include "cli/coverage/parts.h"

#include <gtest/gtest.h>

#include "interpreter/functions/libraries.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

// One line for each part: its place in the text, "T" or "C" for a goal, "t" or "c" for one that does not count, and its
// text; a branch that nothing tells has "<" and the number of its test.
std::string parts(std::string_view text) {
  EnvironmentBuilder builder;
  builder.library(*find_standard_library("stdlib")).library(*find_standard_library("optional"));
  for (const char* name : {"a", "b", "c", "xs"}) builder.variable(name, types::kDyn);
  auto environment = builder.build();
  auto expression = compile(text, *environment);
  if (!expression.ok()) return expression.error().text;
  auto program = make_program(*expression, {.watch = true});
  if (!program.ok()) return program.error().text;
  std::string out;
  for (const CoveragePart& p : coverage_parts(**expression, watched_nodes(**program))) {
    const char kind = p.kind == CoveragePart::Kind::Test     ? 't'
                      : p.kind == CoveragePart::Kind::Choice ? 'c'
                                                             : 'v';
    const std::string covered(
        text.substr(static_cast<size_t>(p.start), static_cast<size_t>(p.stop - p.start)));
    out += (p.counts ? static_cast<char>(std::toupper(kind)) : kind) + (" " + covered);
    if (p.test >= 0) out += (p.chosen ? " <+" : " <-") + std::to_string(p.test);
    out += "\n";
  }
  return out;
}

TEST(CoverageParts, AChainIsOnePart) {
  EXPECT_EQ(parts("a && b && (c || a)"), "t a && b && (c || a)\nT a\nT b\nT c || a\nT c\nT a\n");
}

TEST(CoverageParts, ANegationCountsAsWhatItNegates) {
  EXPECT_EQ(parts("!has(a.b) || a.b"), "t !has(a.b) || a.b\nt !has(a.b)\nT has(a.b)\nT a.b\n");
}

TEST(CoverageParts, WhatTheWholeNegatesIsCountedWithIt) {
  EXPECT_EQ(parts("!a.b"), "t !a.b\nt a.b\n");
  EXPECT_EQ(parts("!(a && b)"), "t !(a && b)\nt a && b\nT a\nT b\n");
}

TEST(CoverageParts, PathsAreWhole) {
  EXPECT_EQ(parts("a.b['x'].c == 1"), "t a.b['x'].c == 1\nv a.b['x'].c\n");
  EXPECT_EQ(parts("size( a.b ) > 1"), "t size( a.b ) > 1\nv size( a.b )\nv a.b\n");
}

TEST(CoverageParts, BranchesThatNobodyTellsHangOnTheirTest) {
  EXPECT_EQ(parts("(a ? b : c.d) == 1"), "t (a ? b : c.d) == 1\nv a ? b : c.d\nT a\nv b <+2\nv c.d <-2\n");
}

TEST(CoverageParts, LoopsHaveTheirPredicate) {
  EXPECT_EQ(parts("xs.all(x, x.y.startsWith('p'))"),
            "t xs.all(x, x.y.startsWith('p'))\nv xs\nT x.y.startsWith('p')\nv x.y\n");
  EXPECT_EQ(parts("xs.filter(x, x > 1).size() == 0"),
            "t xs.filter(x, x > 1).size() == 0\nv xs.filter(x, x > 1).size()\nv xs.filter(x, x > 1)\nv xs\nT "
            "x > 1\nv "
            "x\n");
  EXPECT_EQ(parts("xs.map(x, x.a, x.b)"), "v xs.map(x, x.a, x.b)\nv xs\nT x.a\nv x.b\n");
}

TEST(CoverageParts, OptionalsAreLookedInto) {
  EXPECT_EQ(parts("a.?b.orValue('x') == 'y'"), "t a.?b.orValue('x') == 'y'\nv a.?b.orValue('x')\nC a.?b\n");
}

TEST(CoverageParts, ClosingBracketsAreFoundBehindQuotes) {
  EXPECT_EQ(parts("a.startsWith(')(') && b"), "t a.startsWith(')(') && b\nT a.startsWith(')(')\nv a\nT b\n");
}

}  // namespace
}  // namespace portcullis
