// Uses the expression engine through its own headers, as the rooms behind the public face do: an environment,
// a function as a row, a program that is compiled once and evaluated often, limits. Meson runs it as the test
// `example of the interface`. Embedders read docs/library.md instead.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "interpreter/cel.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"

using namespace portcullis;

namespace {

// A function is a row; a library is a table of rows. Arguments arrive unpacked; a failure is a value.
constexpr Function kRows[] = {
    {.id = "shop_discount",
     .signature = "shop.discount(double, int) -> double",
     .call = wrap([](CallContext& context, double price, int64_t percent) -> Value {
       if (percent < 0 || percent > 100) return context.error("no such discount");
       return Value::real(price * static_cast<double>(100 - percent) / 100);
     }),
     .doc = "the price, so many percent lower",
     .examples = "shop.discount(10.0, 25)  // => 7.5"},
};
constexpr Library kShop = {.name = "shop", .functions = kRows, .doc = "prices"};

Result<std::shared_ptr<const Environment>> make_environment() {
  EnvironmentBuilder builder;
  builder.library(*find_standard_library("stdlib"));
  builder.library(*find_standard_library("strings"), 3);  // as of version 3
  builder.library(*find_standard_library("optional"));
  builder.library(kShop);
  builder.container("shop");  // `discount` is found as shop.discount, `customer` as shop.customer
  builder.variable("shop.customer", types::kString);
  builder.variable("items", builder.types().list(types::kDyn));
  return builder.build();
}

void print(std::string_view what, const Outcome& outcome) {
  std::string text = outcome.value.is_error() ? "error: " + std::string(outcome.value.as_error().message)
                                              : to_json(outcome.value);
  std::printf("%.*s: %s, cost %llu\n", static_cast<int>(what.size()), what.data(), text.c_str(),
              static_cast<unsigned long long>(outcome.cost));
}

int fail(const Error& error) {
  std::printf("%s\n", error.text.c_str());
  return 1;
}

}  // namespace

int main() {
  auto environment = make_environment();
  if (!environment.ok()) return fail(environment.error());

  // Errors are reported as cel-go prints them.
  auto mistaken = compile("customer + 1", *environment);
  std::printf("%s\n", mistaken.ok() ? "?" : mistaken.error().text.c_str());

  auto expression =
      compile("items.map(i, customer == 'jane' ? discount(i.price, i.percent) : i.price)", *environment);
  if (!expression.ok()) return fail(expression.error());
  auto program = make_program(*expression);  // immutable: threads may share it
  if (!program.ok()) return fail(program.error());

  // Each thread has one of each and reuses it.
  Context context;
  Activation activation((*program)->paths());
  Arena arena;  // for the input
  for (std::string_view items :
       {R"([{"price": 80.5, "percent": 10}])", R"([{"price": 1.5, "percent": 200}])", R"([{}])"}) {
    auto value = read_json(items, arena);
    if (!value.ok()) return fail(value.error());
    activation.set("items", *value);
    activation.set("shop.customer", Value::string("jane"));
    print(items, evaluate(**program, activation, context));
    activation.clear();
    context.reset();
  }

  // Limits: cost, a flag that another thread may set, a deadline.
  std::string zeros = "[0";
  for (int i = 1; i < 1000; ++i) zeros += ",0";
  auto many = read_json(zeros + "]", arena);
  if (!many.ok()) return fail(many.error());
  auto loop = compile("items.all(i, items.all(j, i <= j))", *environment);
  if (!loop.ok()) return fail(loop.error());
  auto slow = make_program(*loop);
  if (!slow.ok()) return fail(slow.error());
  Activation input((*slow)->paths());
  input.set("items", *many);
  std::atomic<bool> interrupt = true;
  print("with a cost limit", evaluate(**slow, input, context, {.cost_limit = 100}));
  std::printf("interrupted: %s\n",
              evaluate(**slow, input, context, {.interrupt = &interrupt}).cancelled ? "yes" : "no");
  Limits late;
  late.deadline = std::chrono::steady_clock::now();
  std::printf("out of time: %s\n", evaluate(**slow, input, context, late).cancelled ? "yes" : "no");
  return 0;
}
