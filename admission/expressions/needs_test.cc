// The needs of expressions, by their texts.
#include "admission/expressions/needs.h"

#include <gtest/gtest.h>

#include "admission/expressions/environment.h"

namespace portcullis {
namespace {

std::string needs(std::string_view text) {
  EnvironmentBuilder builder(stored_environment());
  add_policy_variables(builder, {.params = true, .authorizer = true});
  auto expression = compile(text, *builder.build());
  if (!expression.ok()) return expression.error().text;
  std::string out;
  for (const Need& n : needs_of(**expression)) {
    out += (out.empty() ? "" : "; ") + n.what + (n.library.empty() ? "" : " of " + n.library) + " since 1." +
           std::to_string(n.minor);
  }
  return out;
}

TEST(Needs, NamesWhatCameLater) {
  EXPECT_EQ(needs("object.spec.replicas < 5 && object.metadata.name.startsWith('a')"), "");
  EXPECT_EQ(needs("ip(object.spec.address).family() == 4"),
            "family() of kubernetes.net.ip since 1.30; ip() of kubernetes.net.ip since 1.30");
  EXPECT_EQ(needs("object.spec.list.includes('a')"), "includes() of kubernetes.lists since 1.37");
  EXPECT_EQ(needs("quantity('1').isLessThan(quantity('2'))"),
            "isLessThan() of kubernetes.quantity since 1.28; quantity() of kubernetes.quantity since 1.28");
}

TEST(Needs, NamesMacrosAndSyntax) {
  EXPECT_EQ(needs("object.spec.labels.all(k, v, v != '')"),
            "all() with two variables of what has no known type of two-var-comprehensions since 1.33; "
            "all() with two variables of two-var-comprehensions since 1.32");
  EXPECT_EQ(needs("[1].transformList(i, v, v)"), "transformList() of two-var-comprehensions since 1.32");
  EXPECT_EQ(needs("object.spec.list.all(v, v != '')"), "");
  EXPECT_EQ(needs("object.?spec.orValue(1) == 1"),
            "orValue() of optional since 1.28; optional syntax such as a.?b of optional since 1.28");
  EXPECT_EQ(needs("1 < 2.0"), "comparisons of int, uint and double with each other since 1.28");
  EXPECT_EQ(needs("type(object) == net.IP"), "the type net.IP since 1.30");
}

// Environments have these names before; the cel-go of a later release brought what they stand for.
TEST(Needs, NamesWhatCameWithTheCompiler) {
  EXPECT_EQ(needs("object.`a-b` == 1"), "a name in backticks since 1.37");
  EXPECT_EQ(needs("object.a_b1 == 1"), "");
  EXPECT_EQ(needs("object.?a.optFlatMap(x, x).hasValue()"),
            "optFlatMap() of optional since 1.29; hasValue() of optional since 1.28; optional syntax such as "
            "a.?b of "
            "optional since 1.28; value() of optional since 1.28; optional.none() of optional since 1.28");
  EXPECT_EQ(needs("[1].first().hasValue()"),
            "first() of optional since 1.33; hasValue() of optional since 1.28");
  EXPECT_EQ(needs("object.a.all(i, x, x == 1)"),
            "all() with two variables of what has no known type of two-var-comprehensions since 1.33; "
            "all() with two variables of two-var-comprehensions since 1.32");
  EXPECT_EQ(needs("object.a.transformMapEntry(k, v, {v: k})"),
            "transformMapEntry() of what has no known type of two-var-comprehensions since 1.33; "
            "cel.@mapInsert() of "
            "two-var-comprehensions since 1.32; transformMapEntry() of two-var-comprehensions since 1.32");
}

TEST(Needs, NameAnOverloadOfAnOlderFunction) {
  EXPECT_EQ(needs("string(ip('1.2.3.4')) == '1.2.3.4'"),
            "string(net.IP) -> string of kubernetes.net.ip since 1.30; ip() of kubernetes.net.ip since 1.30");
  EXPECT_EQ(needs("dyn('a').contains('b')"), "");
}

}  // namespace
}  // namespace portcullis
