#include "typecheck/unify.h"

#include <gtest/gtest.h>

#include "typecheck/signature.h"

namespace portcullis {
namespace {

class UnifyTest : public ::testing::Test {
 protected:
  const Type* read(std::string_view text) { return parse_type(text, pool_).value(); }
  bool assign(std::string_view a, std::string_view b) { return Substitution(pool_).assign(read(a), read(b)); }
  TypePool pool_;
};

TEST_F(UnifyTest, DynFitsEverywhere) {
  EXPECT_TRUE(assign("dyn", "int"));
  EXPECT_TRUE(assign("list(dyn)", "list(int)"));
  EXPECT_TRUE(assign("any", "map(string, int)"));
  EXPECT_FALSE(assign("list(int)", "list(string)"));
}

TEST_F(UnifyTest, NullFitsWhatCelGoAlwaysLetItFit) {
  for (const char* t :
       {"timestamp", "duration", "net.IP", "kubernetes.Quantity", "wrapper(int)", "optional_type(int)"}) {
    EXPECT_TRUE(assign("null_type", t)) << t;
    EXPECT_TRUE(assign(t, "null_type")) << t;
  }
  for (const char* t : {"int", "string", "list(int)", "map(string, int)", "type"})
    EXPECT_FALSE(assign("null_type", t)) << t;
}

TEST_F(UnifyTest, FailureChangesNothing) {
  Substitution types(pool_);
  const Type* v = types.fresh();
  const Type* pair = pool_.map(v, types::kInt);
  EXPECT_FALSE(types.assign(read("map(string, string)"), pair));
  EXPECT_EQ(types.apply(v, false), v);
  EXPECT_TRUE(types.assign(read("map(string, int)"), pair));
  EXPECT_EQ(types.apply(v, false), types::kString);
}

TEST_F(UnifyTest, TheMoreGeneralTypeIsKept) {
  Substitution types(pool_);
  const Type* v = types.fresh();
  EXPECT_TRUE(types.assign(types::kInt, v));
  EXPECT_TRUE(types.assign(types::kDyn, v));
  EXPECT_EQ(types.apply(v, false), types::kDyn);
}

TEST_F(UnifyTest, NoVariableContainsItself) {
  Substitution types(pool_);
  const Type* v = types.fresh();
  EXPECT_FALSE(types.assign(pool_.list(v), v));
}

TEST_F(UnifyTest, FreeVariablesBecomeDyn) {
  Substitution types(pool_);
  const Type* t = pool_.list(types.fresh());
  EXPECT_EQ(format_type(types.apply(t, false)), "list(_var0)");
  EXPECT_EQ(format_type(types.apply(t, true)), "list(dyn)");
}

// {x: x} in a loop doubles a type: every walk over such a type must visit a node once.
TEST_F(UnifyTest, DoubledTypesAreWalkedOnce) {
  constexpr int kDoublings = 200;
  Substitution types(pool_);
  auto doubled = [&](const Type* t) {
    for (int i = 0; i < kDoublings; ++i) t = pool_.map(t, t);
    return t;
  };
  const Type *v = types.fresh(), *w = types.fresh();
  const Type *open = doubled(v), *other = doubled(w), *closed = doubled(types::kInt);
  EXPECT_TRUE(types.assign(open, other));
  EXPECT_TRUE(types.assign(pool_.list(open), pool_.list(closed)));
  EXPECT_EQ(types.apply(other, false), closed);
  EXPECT_EQ(Substitution::most_general(open, closed), open);
  const Type* wider = types.fresh();
  EXPECT_FALSE(types.assign(wider, pool_.map(doubled(wider), doubled(wider))));

  TypePool elsewhere;
  const Type* copy = elsewhere.copy(closed);
  EXPECT_TRUE(same_type(copy, closed));
  EXPECT_TRUE(assignable_type(copy, closed));
  EXPECT_FALSE(same_type(elsewhere.list(copy), pool_.list(open)));
}

}  // namespace
}  // namespace portcullis
