// See amounts.h.
#include "admission/builtin/amounts.h"

namespace portcullis::builtin {
namespace {

void add_to(Arena& arena, Amounts& to, const Amounts& more) {
  for (const auto& [name, value] : more) {
    const auto [at, is_new] = to.emplace(name, value);
    if (!is_new) at->second = quantity::add(arena, at->second, value).value_or(at->second);
  }
}

void raise_to(Arena& arena, Amounts& to, const Amounts& others) {
  for (const auto& [name, value] : others) {
    const auto [at, is_new] = to.emplace(name, value);
    if (!is_new && quantity::compare(arena, value, at->second) > 0) at->second = value;
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

void PodAmounts::add_container(const Amounts& amounts) { add_to(arena_, running_, amounts); }

void PodAmounts::add_init_container(const Amounts& amounts, bool stays) {
  if (stays) {
    add_to(arena_, running_, amounts);
    add_to(arena_, staying_, amounts);
    raise_to(arena_, initial_, staying_);
  } else {
    Amounts now = amounts;
    add_to(arena_, now, staying_);
    raise_to(arena_, initial_, now);
  }
}

Amounts PodAmounts::total() const {
  Amounts out = running_;
  raise_to(arena_, out, initial_);
  return out;
}

}  // namespace portcullis::builtin
