// Deep and long expressions finish in little memory, with cel-go's error where cel-go has one.
// bench/hostile.cc measures the time.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>

#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "tests/stack.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

constexpr int kMany = 10'000;
constexpr size_t kMemory = size_t{kSanitized ? 1024 : 64} << 20;

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
std::string answer(const std::string& text, Value a = Value::integer(1)) {
  EnvironmentBuilder builder;
  for (const char* library : {"stdlib", "strings", "lists"}) builder.library(*find_standard_library(library));
  builder.variable("a", types::kDyn);
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
    activation.set("a", a);
    Value value = evaluate(**program, activation, context, {.cost_limit = 100'000'000}).value;
    out = value.is_error() ? std::string(value.as_error().message) : to_json(value);
  }
  size_t after = resident();
  EXPECT_LT(after, before + kMemory) << text.substr(0, 20);
  return out;
}

// The stack that include/portcullis/cel.h asks for; frames of other builds are larger.
#if defined(USUAL_FRAMES)
constexpr size_t kStack = kSanitized ? kLargeStack : size_t{4} << 20;
#else
constexpr size_t kStack = kLargeStack;
#endif

void in_small_stack(std::function<void()> f) { in_stack(kStack, std::move(f)); }

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

// `value` in 100 times 100 lists.
std::string in_lists(const std::string& value) {
  return "[" + value + "]" +
         repeated(".map(x, " + repeated("[", 100) + "dyn(x)" + repeated("]", 100) + ")", 140);
}

TEST(Depth, TypesAreBounded) {
  std::string deep = "[0]" + repeated(".map(x, " + repeated("[", 100) + "x" + repeated("]", 100) + ")", 20);
  constexpr std::string_view kTooDeep = "the type of this expression is nested more than 1000 deep";
  EXPECT_NE(answer(deep).find(kTooDeep), std::string::npos);
  // Bindings of type variables nest, too: the type of x0 ends with that of x1, and so on.
  std::string open, pairs;
  for (int i = 0; i < 50; ++i) {
    open += "[[]].map(x" + std::to_string(i) + ", ";
    if (i > 0) {
      pairs += (i > 1 ? ", [x" : "[x") + std::to_string(i - 1) + ", " + repeated("[", 100) + "x" +
               std::to_string(i) + repeated("]", 100) + "]";
    }
  }
  EXPECT_NE(answer(open + "[" + pairs + "]" + repeated(")", 50)).find(kTooDeep), std::string::npos);
}

TEST(Depth, ValuesAreBounded) {
  const std::string deep = in_lists("dyn(a)");
  for (const std::string& text :
       {"[" + deep + "].all(v, v == v)", "'%s'.format([" + deep + "]).size()",
        "'%s'.format([{1: " + deep + "}]).size()", deep + ".flatten(1000000).size()"}) {
    in_small_stack([&] { EXPECT_EQ(answer(text), "evaluation is nested too deep"); });
  }
}

// The value of `text` where `a` is a list or map nested as deep as JSON may be.
std::string answer_of_deep(const std::string& text, std::string_view begin, std::string_view end) {
  std::string out;
  in_small_stack([&] {
    Arena arena;
    JsonReader reader;
    Value a = *reader.read(repeated(begin, kMaxJsonDepth) + "1" + repeated(end, kMaxJsonDepth), arena);
    out = answer(text, a);
  });
  return out;
}

TEST(Depth, DeepestObjects) {
  for (auto [begin, end] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    EXPECT_EQ(answer_of_deep("a == dyn([a])[0]", begin, end), "true");
    EXPECT_EQ(answer_of_deep("'%s'.format([[a]]).size() > 20000", begin, end), "true");
    EXPECT_EQ(answer_of_deep("[a].flatten(1000000).size()", begin, end), "1");
  }
}

}  // namespace
}  // namespace portcullis
