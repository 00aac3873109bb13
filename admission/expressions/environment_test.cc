// Environments by version: their functions, and the messages about functions of later versions.
#include "admission/expressions/environment.h"

#include <gtest/gtest.h>

#include "admission/expressions/patches.h"
#include "interpreter/cel.h"

namespace portcullis {
namespace {

bool has(uint32_t minor, std::string_view function) {
  return new_environment({1, minor})->find_function(function);
}

TEST(KubernetesEnvironment, LibrariesComeWithTheirVersions) {
  EXPECT_TRUE(has(23, "isSorted"));
  EXPECT_FALSE(has(36, "includes"));
  EXPECT_TRUE(has(37, "includes"));
  EXPECT_FALSE(has(27, "quantity"));
  EXPECT_TRUE(has(28, "quantity"));
  EXPECT_FALSE(has(29, "ip"));
  EXPECT_TRUE(has(30, "ip"));
  EXPECT_FALSE(has(30, "fieldSelector"));
  EXPECT_TRUE(has(31, "format.uri"));
  EXPECT_TRUE(stored_environment()->find_function("includes"));
  EXPECT_TRUE(stored_environment()->find_function("semver"));
  EXPECT_FALSE(stored_environment()->find_function("jsonpatch.escapeKey"));
}

TEST(KubernetesEnvironment, IsBuiltOnce) {
  EXPECT_EQ(new_environment({1, 30}), new_environment({1, 30}));
  EXPECT_EQ(new_environment({1, 99}), new_environment({1, 37}));
  EXPECT_EQ(new_environment({2, 0}), new_environment({1, 37}));
}

TEST(KubernetesEnvironment, OptionsDifferByVersion) {
  EXPECT_FALSE(new_environment({1, 27})->options().cross_type_numeric_comparisons);
  EXPECT_TRUE(new_environment({1, 28})->options().cross_type_numeric_comparisons);
  EXPECT_TRUE(stored_environment()->options().constant_folding);
  EXPECT_FALSE(library_test_environment()->options().constant_folding);
  EXPECT_TRUE(library_test_environment()->options().run_time_presence_test_cost);
}

TEST(KubernetesEnvironment, PolicyVariablesAreTyped) {
  EnvironmentBuilder builder(stored_environment());
  add_policy_variables(builder, {.params = true, .authorizer = true});
  auto environment = builder.build();
  ASSERT_TRUE(environment.ok());
  EXPECT_EQ((*environment)->find_variable("request")->name(), kRequestType);
  EXPECT_EQ((*environment)->find_variable("params"), types::kDyn);
  EXPECT_EQ((*environment)->find_variable("authorizer.requestResource")->name(), kResourceCheckType);
  EXPECT_EQ(type_string((*environment)->find_field("kubernetes.UserInfo", "extra")),
            "map(string, list(string))");
  EXPECT_EQ((*environment)->find_field(kRequestType, "__namespace__"), nullptr);
  EXPECT_EQ((*environment)->find_type_name("Object"), nullptr);
}

TEST(KubernetesEnvironment, PatchTypes) {
  EXPECT_EQ(patch_types()->find_struct("Object.spec.template")->name(), "Object.spec.template");
  EXPECT_EQ(patch_types()->find_struct("Objects"), nullptr);
  EXPECT_EQ(patch_types()->find_field("Object.spec", "anything"), types::kDyn);
  EXPECT_EQ(patch_types()->find_field("JSONPatch", "op"), types::kString);
  EXPECT_EQ(patch_types()->find_field("JSONPatch", "nope"), nullptr);
}

// The values of the libraries in a message; the oracle gave these answers.
TEST(KubernetesEnvironment, LibraryValuesBecomeTextsInMessages) {
  auto answer = [](const std::string& text) {
    auto program = make_program(compile(text, stored_environment()).value()).value();
    Context context;
    Activation activation(program->paths());
    Value value = evaluate(*program, activation, context).value;
    return std::string(value.is_error() ? value.as_error().message : value.as_text());
  };
  const std::string refused = "field type conversion error for google.protobuf.";
  EXPECT_EQ(answer("google.protobuf.StringValue{value: dyn(quantity('1Gi'))}"), "1Gi");
  EXPECT_EQ(answer("google.protobuf.StringValue{value: dyn(cidr('1.2.3.0/24'))}"), "1.2.3.0/24");
  EXPECT_EQ(answer("google.protobuf.StringValue{value: dyn(format.named('date').value())}"),
            refused + "StringValue.value value type: type conversion error from 'Format' to 'string'");
  EXPECT_EQ(answer("google.protobuf.Int64Value{value: dyn(format.named('date').value())}"),
            refused + "Int64Value.value value type: type conversion error from 'Format' to 'int64'");
  EXPECT_EQ(answer("google.protobuf.Int64Value{value: dyn(ip('::1'))}"),
            refused + "Int64Value.value value type: type conversion error from 'IP' to 'int64'");
}

// The cel-go of a server compiles its environments: what a release dropped is there before, and what it brought is not.
TEST(Environments, AreThoseOfACompiler) {
  const auto compiles = [](std::string_view text, KubernetesVersion version) {
    EnvironmentBuilder builder(new_environment(version));
    builder.variable("object", types::kDyn);
    return compile(text, *builder.build()).ok();
  };
  for (const auto& [text, first, last] :
       std::initializer_list<std::tuple<std::string_view, uint32_t, uint32_t>>{
           {"duration(size(object.a))", 28, 36},
           {"duration('1s')", 28, 37},
           {"[5].map(x, x + .x)", 28, 36},
           {"[1].map(object, .object.spec.replicas)", 37, 37},
           {"object.`a`", 37, 37},
           {"object.?`a-b`", 37, 37},
           {"object.?a.optFlatMap(x, x)", 29, 37},
           {"[1].first()", 33, 37},
           {"optional.unwrap([optional.of(1)])", 33, 37},
           {"object.a.exists(i, x, i == x)", 32, 37},
           {"object.a.exists(i, x, x == 1)", 33, 37},
           {"object.a.exists(i, x, x.b)", 33, 37},
           {"[1].exists(i, x, x == 1)", 32, 37}}) {
    for (uint32_t server = 28; server <= 37; server++)
      EXPECT_EQ(compiles(text, stored_on(server)), first <= server && server <= last)
          << text << " on 1." << server;
  }
  EXPECT_TRUE(compiles("[1].first()", new_on(33)));
  EXPECT_FALSE(compiles("duration(size(object.a))", {}));
  EXPECT_EQ(new_environment(stored_on(35)), new_environment(new_on(35)));
  EXPECT_NE(new_environment(stored_on(36)), new_environment(new_on(37)));
}

TEST(KubernetesVersion, Parses) {
  EXPECT_EQ(parse_kubernetes_version("1.30").value(), (KubernetesVersion{1, 30}));
  EXPECT_EQ(parse_kubernetes_version("v1.30.2-rc.1").value(), (KubernetesVersion{1, 30}));
  for (const char* bad : {"", "1", "1.", "1.x", "x.1", "1.30x"})
    EXPECT_FALSE(parse_kubernetes_version(bad).ok()) << bad;
}

TEST(KubernetesVersion, OfFunctions) {
  EXPECT_EQ(minor_of_function("ip"), 30u);
  EXPECT_EQ(minor_of_function("size"), KubernetesVersion::kFirst);
  EXPECT_EQ(minor_of_function("nope"), std::nullopt);
  EXPECT_EQ(
      explain_missing_function("ERROR: <input>:1:3: undeclared reference to 'ip' (in container '')", {1, 29}),
      "`ip` needs Kubernetes 1.30");
  EXPECT_EQ(explain_missing_function("undeclared reference to 'nope'", {1, 29}), "");
}

}  // namespace
}  // namespace portcullis
