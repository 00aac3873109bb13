#include "interpreter/functions/elements.h"

#include <algorithm>
#include <bit>

#include "interpreter/values/equal.h"
#include "interpreter/values/map.h"

namespace portcullis {
namespace {

constexpr size_t kHashed = 16;  // lists of at least so many elements are hashed

// Kinds whose values are equal exactly if they are the same map key.
bool is_simple(Kind kind) {
  return kind == Kind::Int || kind == Kind::Uint || kind == Kind::Bool || kind == Kind::String;
}

}  // namespace

ElementSet::ElementSet(Arena& arena, List list) : arena_(arena) {
  items_ = arena.array<Value>(list.size());
  if (list.size() < kHashed || !is_simple(list[0].kind())) return;
  kind_ = list[0].kind();
  if (!std::all_of(list.begin(), list.end(), [&](const Value& v) { return v.is(kind_); })) return;
  size_t size = std::bit_ceil(list.size() * 2);
  table_ = arena.array<const Value*>(size);
  std::fill_n(table_, size, nullptr);
  mask_ = size - 1;
}

// The slot of an equal element, or the free slot where `v` belongs.
const Value** ElementSet::slot(const Value& v) {
  for (size_t i = hash_key(v) & mask_;; i = (i + 1) & mask_) {
    if (table_[i] == nullptr || equals(v, *table_[i], arena_)) return &table_[i];
  }
}

bool ElementSet::contains(const Value& v) {
  if (table_ != nullptr && v.is(kind_)) return *slot(v) != nullptr;
  return std::any_of(items_, items_ + count_, [&](const Value& item) { return equals(v, item, arena_); });
}

bool ElementSet::add(const Value& v) {
  if (table_ == nullptr) {
    if (contains(v)) return false;
  } else {
    const Value** place = slot(v);
    if (*place != nullptr) return false;
    *place = &items_[count_];
  }
  items_[count_++] = v;
  return true;
}

}  // namespace portcullis
