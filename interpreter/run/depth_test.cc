// Deep and long expressions finish in little memory, with cel-go's error where cel-go has one.
// bench/hostile.cc measures the time.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

constexpr int kMany = 10'000;
constexpr size_t kMemory = size_t{64} << 20;

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Resident memory of the process in bytes.
size_t resident() {
  std::ifstream in("/proc/self/statm");
  size_t all = 0, here = 0;
  in >> all >> here;
  return here * 4096;
}

// The value, or the first error without its place in the source.
std::string answer(const std::string& text) {
  EnvironmentBuilder builder;
  builder.library(*find_standard_library("stdlib")).variable("a", types::kDyn);
  auto environment = *builder.build();
  size_t before = resident();
  std::string out;
  auto expression = compile(text, environment);
  if (!expression.ok()) {
    out = expression.error().text.substr(0, expression.error().text.find('\n'));
  } else if (auto program = make_program(*expression); !program.ok()) {
    out = program.error().text;
  } else {
    Context context;
    Activation activation((*program)->paths());
    activation.set("a", Value::integer(1));
    Value value = evaluate(**program, activation, context).value;
    out = value.is_error() ? std::string(value.as_error().message) : to_json(value);
  }
  size_t after = resident();
  EXPECT_LT(after, before + kMemory) << text.substr(0, 20);
  return out;
}

constexpr const char* kNested = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
constexpr const char* kDeep = "ERROR: <input>:-1:0: max recursion depth exceeded";

TEST(Depth, NestedExpressions) {
  EXPECT_EQ(answer(repeated("(", kMany)), kNested);
  EXPECT_EQ(answer(repeated("(", kMany) + "1" + repeated(")", kMany)), kNested);
  EXPECT_EQ(answer(repeated("[", kMany) + repeated("]", kMany)), kNested);
  EXPECT_EQ(answer(repeated("{1:", kMany) + "1" + repeated("}", kMany)), kNested);
  EXPECT_EQ(answer(repeated("size(", kMany) + "1" + repeated(")", kMany)), kNested);
  EXPECT_EQ(answer(repeated("a ? a : ", kMany) + "a"), kNested);
  EXPECT_EQ(answer(repeated("[1].map(a, ", kMany / 2) + "a" + repeated(")", kMany / 2)), kNested);
}

TEST(Depth, LongChains) {
  EXPECT_EQ(answer("a" + repeated(".a", kMany)), kDeep);
  EXPECT_EQ(answer("a" + repeated("[a]", kMany)), kDeep);
  EXPECT_EQ(answer("a" + repeated(".a()", kMany)), kDeep);
  EXPECT_EQ(answer("a" + repeated("+a", kMany)), kDeep);
  EXPECT_EQ(answer("a" + repeated("*a", kMany)), kDeep);
  EXPECT_EQ(answer("a" + repeated("<a", kMany)), kDeep);
}

TEST(Depth, WhatIsFlat) {
  EXPECT_EQ(answer(repeated("!", kMany) + "true"), "true");
  EXPECT_EQ(answer(repeated("!", kMany + 1) + "true"), "false");
  EXPECT_EQ(answer(repeated("-", kMany) + "a"), "1");
  EXPECT_EQ(answer("a == 1" + repeated(" && a == 1", kMany / 2)), "true");
  EXPECT_EQ(answer("a == 2" + repeated(" || a == 2", kMany / 2)), "false");
  EXPECT_EQ(answer("size([1" + repeated(",1", kMany) + "])"), "10001");
}

TEST(Depth, AsDeepAsAllowed) {
  EXPECT_EQ(answer(repeated("(", 200) + "a" + repeated(")", 200)), "1");
  EXPECT_EQ(answer("a" + repeated("+a", 200)), "201");
  EXPECT_EQ(answer(repeated("a == 2 ? 0 : ", 200) + "a"), "1");
}

}  // namespace
}  // namespace portcullis
