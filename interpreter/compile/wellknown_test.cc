#include "interpreter/compile/wellknown.h"

#include <gtest/gtest.h>

#include <string>

#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/print.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

// The value as CEL source, or the error. The oracle confirms the expected answers.
std::string answer(std::string_view text) {
  EnvironmentBuilder builder;
  for (const char* library : {"stdlib", "optional"}) builder.library(*find_standard_library(library));
  auto expression = compile(text, *builder.build());
  if (!expression.ok()) return expression.error().text;
  auto program = make_program(*expression);
  if (!program.ok()) return program.error().text;
  Context context;
  Activation activation((*program)->paths());
  Value value = evaluate(**program, activation, context).value;
  return value.is_error() ? std::string(value.as_error().message) : format_cel(value);
}

TEST(WellKnown, Wrappers) {
  EXPECT_EQ(answer("google.protobuf.Int64Value{value: 5} + 1"), "6");
  EXPECT_EQ(answer("google.protobuf.UInt32Value{}"), "0u");
  EXPECT_EQ(answer("google.protobuf.StringValue{value: 'a'}"), "\"a\"");
  EXPECT_EQ(answer("google.protobuf.Int32Value{value: 5000000000}"),
            "field type conversion error for google.protobuf.Int32Value.value value type: integer overflow");
  EXPECT_EQ(answer("google.protobuf.Int64Value{value: dyn('a')}"),
            "field type conversion error for google.protobuf.Int64Value.value value type: unsupported native "
            "conversion "
            "from string to 'int64'");
}

TEST(WellKnown, JsonValues) {
  EXPECT_EQ(answer("google.protobuf.Struct{fields: {'a': 1, 'b': 2}} == {'a': 1.0, 'b': 2.0}"), "true");
  EXPECT_EQ(answer("google.protobuf.Struct{fields: {'a': 9007199254740993}}.a"), "\"9007199254740993\"");
  EXPECT_EQ(answer("google.protobuf.Struct{fields: {'a': dyn({1: 2})}}"),
            "field type conversion error for google.protobuf.Struct.fields value type: unsupported type "
            "conversion from "
            "'int' to string");
  EXPECT_EQ(answer("google.protobuf.ListValue{values: [1.0]} == [1.0]"), "true");
  EXPECT_EQ(answer("google.protobuf.Value{list_value: [optional.of('a')]}"), "[\"a\"]");
  EXPECT_EQ(answer("google.protobuf.Struct{fields: {'a': [optional.none()]}}"),
            "field type conversion error for google.protobuf.Struct.fields value type: optional.none() "
            "dereference");
  EXPECT_EQ(answer("google.protobuf.Value{} == null"), "true");
  EXPECT_EQ(answer("google.protobuf.Value{number_value: 1.0, string_value: 'a'}"), "\"a\"");
  EXPECT_EQ(answer("google.protobuf.ListValue{values: [1], values: [2, 3]}"), "[2.0, 3.0]");
  EXPECT_EQ(answer("google.protobuf.Value{bool_value: dyn(1), null_value: 0}"),
            "field type conversion error for google.protobuf.Value.bool_value value type: unsupported type "
            "conversion from 'int' to bool");
}

TEST(WellKnown, Times) {
  EXPECT_EQ(answer("google.protobuf.Duration{seconds: 5, nanos: 3} == duration('5.000000003s')"), "true");
  EXPECT_EQ(answer("google.protobuf.Timestamp{seconds: 1, nanos: -1} < timestamp(1)"), "true");
  EXPECT_EQ(answer("google.protobuf.Timestamp{nanos: 2000000000} == timestamp(2)"), "true");
}

TEST(WellKnown, AnyIsRefused) {
  auto any = [](std::string fields) { return answer("google.protobuf.Any{" + fields + "}"); };
  auto refused = [](std::string url) { return "cannot read google.protobuf.Any of '" + url + "'"; };
  EXPECT_EQ(any(""), refused(""));
  EXPECT_EQ(any("value: b'a'"), refused(""));
  EXPECT_EQ(any("type_url: 'a/b\"'"), refused("a/b\""));
  EXPECT_EQ(any("type_url: 'a/google.protobuf.Int32Value', value: b'\\x08\\x05'"),
            refused("a/google.protobuf.Int32Value"));
}

TEST(WellKnown, TheirNamesAreNoValues) {
  EXPECT_EQ(answer("google.protobuf.Int64Value"), "reference to undefined type: google.protobuf.Int64Value");
  EXPECT_EQ(answer("google.protobuf.Duration == google.protobuf.Timestamp"), "false");
}

}  // namespace
}  // namespace portcullis
