// See amounts.h.
#include "admission/builtin/amounts.h"

namespace portcullis::builtin {
namespace {

void add(Arena& arena, Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, is_new] = to.emplace(name, amount);
    if (!is_new) at->second = quantity::add(arena, at->second, amount).value_or(at->second);
  }
}

void raise(Arena& arena, Amounts& to, const Amounts& others) {
  for (const auto& [name, amount] : others) {
    const auto [at, is_new] = to.emplace(name, amount);
    if (!is_new && quantity::compare(arena, amount, at->second) > 0) at->second = amount;
  }
}

}  // namespace

Amounts amounts_of(Arena& arena, const Value& list) {
  Amounts out;
  if (!list.is(Kind::Map)) return out;
  for (const MapEntry& e : list.as_map()) {
    Quantity q;
    if (e.value.is(Kind::String) && quantity::parse(arena, e.value.as_text(), q).empty())
      out[e.key.as_text()] = q;
  }
  return out;
}

void PodAmounts::add_container(const Amounts& amounts) { add(arena_, running_, amounts); }

void PodAmounts::add_init_container(const Amounts& amounts, bool stays) {
  if (stays) {
    add(arena_, running_, amounts);
    add(arena_, staying_, amounts);
    raise(arena_, initial_, staying_);
  } else {
    Amounts now = amounts;
    add(arena_, now, staying_);
    raise(arena_, initial_, now);
  }
}

Amounts PodAmounts::total() const {
  Amounts out = running_;
  raise(arena_, out, initial_);
  return out;
}

}  // namespace portcullis::builtin
