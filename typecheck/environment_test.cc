#include "typecheck/environment.h"

#include <gtest/gtest.h>

#include "tests/typecheck_library.h"

namespace portcullis {
namespace {

using testing::builder;
using testing::standard_library;

TEST(Environment, RowsOfAVersion) {
  EnvironmentBuilder b;
  b.library(standard_library(), 0);
  auto env = b.build().value();
  EXPECT_NE(env->find_function("old"), nullptr);
  EXPECT_EQ(env->find_function("format"), nullptr);
  EXPECT_TRUE(env->validators().empty());
  EnvironmentBuilder newest;
  newest.library(standard_library());
  auto env1 = newest.build().value();
  EXPECT_EQ(env1->find_function("old"), nullptr);
  EXPECT_NE(env1->find_function("format"), nullptr);
  EXPECT_EQ(env1->validators().size(), 1u);
}

TEST(Environment, OverloadsStandInOrderOfDeclaration) {
  EnvironmentBuilder b = builder();
  b.function("_+_", "add_mine", false, {types::kBool, types::kBool}, types::kBool);
  auto env = b.build().value();
  const FunctionGroup* add = env->find_function("_+_");
  std::string ids;
  for (const Overload* o : add->overloads) ids += std::string(o->id) + " ";
  EXPECT_EQ(ids, "add_bytes add_int64 add_list add_string add_mine ");
}

TEST(Environment, ClashingOverloadsAreRefused) {
  EnvironmentBuilder b = builder();
  b.function("size", "size_anything", false, {types::kDyn}, types::kInt);
  EXPECT_EQ(b.build().error().text,
            "overload signature collision in function size: size_list collides with size_anything");
  EnvironmentBuilder c = builder();
  c.function("size", "size_list", false, {types::kInt}, types::kInt);
  EXPECT_EQ(c.build().error().text,
            "overload redefinition in function. size: size_list has multiple definitions");
  EnvironmentBuilder d = builder();
  d.library(standard_library());
  EXPECT_TRUE(d.build().ok()) << "the same rows again";
}

TEST(Environment, ExtensionsShareTables) {
  auto base = builder({{"a", "int"}}).build().value();
  EnvironmentBuilder b(base);
  b.variable("b", types::kString);
  auto extended = b.build().value();
  EXPECT_EQ(extended->find_function("_+_"), base->find_function("_+_"));
  EXPECT_EQ(extended->find_variable("a"), types::kInt);
  EXPECT_EQ(base->find_variable("b"), nullptr);
  EXPECT_EQ(extended->variables().size(), 2u);
  EnvironmentBuilder clash(base);
  clash.variable("a", types::kString);
  EXPECT_EQ(clash.build().error().text, "overlapping identifier for name 'a'");
  EnvironmentBuilder again(base);
  again.variable("a", types::kInt);
  EXPECT_TRUE(again.build().ok());
}

TEST(Environment, ExtensionsAddFunctionsToCopies) {
  auto base = builder().build().value();
  EnvironmentBuilder b(base);
  b.function("_+_", "add_mine", false, {types::kBool, types::kBool}, types::kBool);
  auto extended = b.build().value();
  EXPECT_EQ(extended->find_function("_+_")->overloads.size(), 5u);
  EXPECT_EQ(base->find_function("_+_")->overloads.size(), 4u);
}

TEST(Environment, NamesGoFromTheInsideOut) {
  EnvironmentBuilder b = builder();
  b.container("a.b");
  auto env = b.build().value();
  EXPECT_EQ(env->candidates("x.y"), (std::vector<std::string>{"a.b.x.y", "a.x.y", "x.y"}));
  EXPECT_EQ(env->candidates(".x"), (std::vector<std::string>{"x"}));
}

TEST(Environment, TypesAreIdentifiers) {
  auto env = builder().build().value();
  EXPECT_EQ(env->find_type_name("int"), types::kInt);
  EXPECT_EQ(type_string(env->find_type_name("optional_type")), "optional_type(dyn)");
  EXPECT_EQ(type_string(env->find_type_name("google.protobuf.Int32Value")), "wrapper(int)");
  EXPECT_EQ(env->find_type_name("dyn"), nullptr);
  EXPECT_EQ(env->find_type_name("google.protobuf.NullValue"), nullptr);
  EXPECT_EQ(*env->find_enum("google.protobuf.NullValue.NULL_VALUE"), 0);
}

}  // namespace
}  // namespace portcullis
