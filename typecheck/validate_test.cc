#include "typecheck/validate.h"

#include <gtest/gtest.h>

#include "tests/typecheck_library.h"

namespace portcullis {
namespace {

using testing::builder;
using testing::Checked;

bool only_hours(const Literal& literal, std::string& detail) {
  const auto* text = std::get_if<std::string>(&literal);
  if (!text) detail = "no text";
  return text && text->ends_with("h");
}
constexpr Validator kHours = {.name = "hours", .function = "duration", .argument = 0, .valid = only_hours};

std::string errors(std::string_view text) {
  EnvironmentBuilder b = builder({{"x", "dyn"}, {"s", "string"}});
  b.validator(kHours).validator(kHomogeneousLiterals).validator(kHomogeneousLiterals);
  Checked c(b.build().value(), text);
  std::string out;
  for (const Diagnostic& d : c.diagnostics.items()) out += std::to_string(d.offset) + " " + d.message + "\n";
  return out;
}

TEST(Validate, LiteralArguments) {
  EXPECT_EQ(errors("duration('1h') == duration('1x')"), "27 invalid duration argument\n");
  EXPECT_EQ(errors("duration(s) == duration(s)"), "");
}

TEST(Validate, HomogeneousLiterals) {
  EXPECT_EQ(errors("[1, 'a', 2.0]"), "4 expected type 'int' but found 'string'\n");
  EXPECT_EQ(errors("{1: 'a', 'b': 2}"),
            "9 expected type 'int' but found 'string'\n"
            "14 expected type 'string' but found 'int'\n");
  EXPECT_EQ(errors("[1, x]"), "4 expected type 'int' but found 'dyn'\n");
  EXPECT_EQ(errors("[dyn(1), dyn('a')]"), "");
}

TEST(Validate, FormatIsExempt) {
  EXPECT_EQ(errors("'%s %d'.format(['a', 1])"), "");
  EXPECT_EQ(errors("'%s'.format([[1, 'a']])"), "");
}

TEST(Validate, FormatCalls) {
  EXPECT_EQ(errors("'%d'.format(['a'])"),
            "13 error during formatting: decimal clause can only be used on integers, was given string\n");
  EXPECT_EQ(errors("'%s'.format([])"), "11 index 0 out of range\n");
  EXPECT_EQ(errors("'%s'.format(['a', 'b'])"),
            "11 too many arguments supplied to string.format (expected 1, got 2)\n");
  EXPECT_EQ(errors("'%'.format(['a'])"), "10 unexpected end of string\n");
  EXPECT_EQ(errors("'%z'.format(['a'])"),
            "11 could not parse formatting clause: unrecognized formatting clause \"z\"\n");
  EXPECT_EQ(
      errors("'%.3'.format([1.0])"),
      "12 could not parse formatting clause: error while parsing precision: could not find end of precision "
      "specifier\n");
  EXPECT_EQ(
      errors("'%.f'.format([1.0])"),
      "12 could not parse formatting clause: error while parsing precision: error while converting precision "
      "to integer: strconv.Atoi: parsing \"\": invalid syntax\n");
  EXPECT_EQ(
      errors("'%.1001f'.format([1.0])"),
      "16 could not parse formatting clause: error while parsing precision: precision 1001 exceeds maximum "
      "allowed precision 1000\n");
  EXPECT_EQ(errors("'%%'.format([])"), "");
  EXPECT_EQ(errors("'%d'.format([x])"), "");
  EXPECT_EQ(errors("s.format([1])"), "");
}

}  // namespace
}  // namespace portcullis
