#include "typecheck/type.h"

#include <gtest/gtest.h>

#include "typecheck/signature.h"

namespace portcullis {
namespace {

class TypeTest : public ::testing::Test {
 protected:
  const Type* read(std::string_view text) { return parse_type(text, pool_).value(); }
  TypePool pool_;
};

TEST_F(TypeTest, PrintsForMessagesAndForOutput) {
  EXPECT_EQ(format_type(read("map(string, list(timestamp))")), "map(string, list(timestamp))");
  EXPECT_EQ(type_string(read("map(string, list(timestamp))")),
            "map(string, list(google.protobuf.Timestamp))");
  EXPECT_EQ(format_type(types::kNull), "null");
  EXPECT_EQ(type_string(types::kNull), "null_type");
  EXPECT_EQ(format_type(read("list(wrapper(int))")), "list(wrapper(int))");
  EXPECT_EQ(type_string(read("list(A)")), "list(<A>)");
  EXPECT_EQ(format_type(types::kError), "!error!");
  EXPECT_EQ(format_type(pool_.function(types::kBool, std::vector{types::kInt, types::kString})),
            "(int, string) -> bool");
}

TEST_F(TypeTest, WellKnownNamesStandForTheirTypes) {
  EXPECT_TRUE(same_type(read("google.protobuf.Struct"), read("map(string, dyn)")));
  EXPECT_EQ(format_type(read("google.protobuf.Int64Value")), "wrapper(int)");
  EXPECT_TRUE(read("google.protobuf.Empty")->is(TypeKind::Struct));
}

TEST_F(TypeTest, WrapperIsTheSameAsItsPrimitive) {
  EXPECT_TRUE(same_type(read("wrapper(int)"), types::kInt));
  EXPECT_TRUE(assignable_type(read("wrapper(int)"), types::kNull));
  EXPECT_TRUE(assignable_type(types::kInt, read("wrapper(int)")));
  EXPECT_FALSE(assignable_type(types::kInt, types::kNull));
}

TEST_F(TypeTest, EquivalenceIgnoresNamesOfParameters) {
  EXPECT_FALSE(same_type(read("list(A)"), read("list(B)")));
  EXPECT_TRUE(equivalent_types(read("list(A)"), read("list(B)")));
  EXPECT_FALSE(equivalent_types(read("list(A)"), read("list(int)")));
}

// 60 steps double a type each: neither comparing nor printing may take 2^60 steps.
TEST_F(TypeTest, DoublingTypesStayCheap) {
  const Type* a = types::kInt;
  const Type* b = types::kInt;
  for (int i = 0; i < 60; ++i) {
    a = pool_.map(a, a);
    b = pool_.map(b, b);
  }
  EXPECT_TRUE(same_type(a, b));
  EXPECT_LT(format_type(a).size(), 2 * kMaxTypeText);
}

TEST_F(TypeTest, CopyOutlivesItsPool) {
  TypePool other;
  const Type* t = nullptr;
  {
    TypePool shortlived;
    t = other.copy(parse_type("optional_type(map(string, net.IP))", shortlived).value());
  }
  EXPECT_EQ(type_string(t), "optional_type(map(string, net.IP))");
}

TEST(Type, AWellKnownTypeHasTheNameThatMakesIt) {
  TypePool pool;
  EXPECT_EQ(well_known_name(types::kTimestamp), "google.protobuf.Timestamp");
  EXPECT_EQ(well_known_name(pool.wrapper(types::kInt)), "google.protobuf.Int64Value");
  EXPECT_EQ(well_known_name(pool.wrapper(types::kDouble)), "google.protobuf.DoubleValue");
  EXPECT_EQ(well_known_name(pool.wrapper(types::kUint)), "google.protobuf.UInt64Value");
  EXPECT_EQ(well_known_name(types::kMapOfStringToDyn), "google.protobuf.Struct");
  EXPECT_EQ(well_known_name(types::kMapOfDyn), "");
  EXPECT_EQ(well_known_name(types::kInt), "");
}

}  // namespace
}  // namespace portcullis
