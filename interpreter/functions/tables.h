// The tables that libraries.cc combines: one span of rows per domain.
// Tested by tests/examples.cc.
#pragma once

#include <span>
#include <string_view>

#include "typecheck/function.h"

namespace portcullis::tables {

// A row of a function of all versions, at the usual cost.
constexpr Function row(std::string_view id, std::string_view signature, Call call, std::string_view doc,
                       std::string_view examples) {
  return {.id = id, .signature = signature, .call = call, .doc = doc, .examples = examples};
}

// Costs of functions that the compiler plans.
inline constexpr Cost kFree = {.text = "0"};
inline constexpr Cost kIndex = {.text = "1, and 1 more of what is no variable, field or item"};
inline constexpr Cost kOptionalIndex = {
    .text = "1 if the result has a value, and 1 more of what is no variable, field or item"};

// stdlib
std::span<const Function> logic();
std::span<const Function> arithmetic();
std::span<const Function> comparison();
std::span<const Function> collections();
std::span<const Function> conversions();
std::span<const Function> texts();
std::span<const Function> times();

// extension libraries
std::span<const Function> strings();
std::span<const Function> lists();
std::span<const Function> sets();
std::span<const Function> math();
std::span<const Function> encoders();
std::span<const Function> regexes();
std::span<const Function> optionals();
std::span<const Function> comprehensions();
std::span<const Function> network();
std::span<const Validator> network_validators();

// New costs of existing rows in a later version of a library: libraries.cc makes a second row of each, from
// that version on.
struct Recost {
  std::string_view id;
  uint8_t since;
  Cost cost;
};
std::span<const Recost> string_costs();
std::span<const Recost> list_costs();

}  // namespace portcullis::tables
