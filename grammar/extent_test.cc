#include "grammar/extent.h"

#include <gtest/gtest.h>

#include "grammar/parse.h"

namespace portcullis {
namespace {

// The texts of a node and of the nodes below it, in the order of the tree, separated by " | ".
void list(const Ast& ast, const Expr* e, const Source& source, std::string& out) {
  if (e == nullptr) return;
  const Span span = extent(ast, e, source);
  out += (out.empty() ? "" : " | ") + source.slice(span.start, span.stop);
  list(ast, e->target, source, out);
  for (const Expr* arg : e->args) list(ast, arg, source, out);
  for (const Entry& entry : e->entries) {
    list(ast, entry.key, source, out);
    list(ast, entry.value, source, out);
  }
}

std::string extents(std::string_view text) {
  const Source source(text);
  const Parsed parsed = parse(source, {.optional_syntax = true});
  std::string out;
  list(parsed.ast, parsed.ast.root, source, out);
  return out;
}

TEST(Extent, TakesInNamesAndBrackets) {
  EXPECT_EQ(extents("a.b ( c , d ) == 1"), "a.b ( c , d ) == 1 | a.b ( c , d ) | a | c | d | 1");
  EXPECT_EQ(extents("size( a.b )"), "size( a.b ) | a.b | a");
  EXPECT_EQ(extents("a['ü'].c"), "a['ü'].c | a['ü'] | a | 'ü'");
  EXPECT_EQ(extents("[1, [2]]"), "[1, [2]] | 1 | [2] | 2");
  EXPECT_EQ(extents("A.b{c: 1}"), "A.b{c: 1} | 1");
  EXPECT_EQ(extents("{'a': b}"), "{'a': b} | 'a' | b");
  EXPECT_EQ(extents("a.?b[?c]"), "a.?b[?c] | a.?b | a | b | c");
  EXPECT_EQ(extents("-a"), "-a | a");
}

TEST(Extent, LeavesParenthesesAroundItOut) {
  EXPECT_EQ(extents("(a || b) && c"), "(a || b) && c | a || b | a | b | c");
  EXPECT_EQ(extents("((a) && ( ( b || c ) ))"), "(a) && ( ( b || c ) ) | a | b || c | b | c");
  EXPECT_EQ(extents("f((a), (b))"), "f((a), (b)) | a | b");
  EXPECT_EQ(extents("(a).b"), "(a).b | a");
}

TEST(Extent, SkipsQuotedBrackets) {
  EXPECT_EQ(extents("(a && // don't (\n b).c"), "(a && // don't (\n b).c | a && // don't (\n b | a | b");
  EXPECT_EQ(extents("a.f(')\\'(') + b"), "a.f(')\\'(') + b | a.f(')\\'(') | a | ')\\'(' | b");
}

}  // namespace
}  // namespace portcullis
