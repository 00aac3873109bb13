// Access to the fields of an Object by name, for the rules of defaults, plugins, strategies and conversions.
//
// Idea: a path ("spec.strategy.type") is a function argument or, where every object of a common kind passes,
// a template argument; then it is resolved once per struct and place in the code. Access to a struct that
// decode passed through unchanged (unchanged.h) first makes it an Object, so that the caller can write to it.
// `peek` only reads and changes nothing. Tested by admission/builtin/normalize_test.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// The struct in field `index` of `object`, as an Object; null if it is absent or no struct.
inline Object* open(Object& object, int index) {
  Value& slot = object.slots[index];
  if (is_object(slot)) return &as_object(slot);
  const FieldRow& f = kFieldRows[object.row->first + index];
  return f.shape == kOne && f.scalar == kStruct && slot.is(Kind::Map) ? &thaw(*object.arena, slot, f)
                                                                      : nullptr;
}

// A field of an object. `object` is null if the path has an absent struct or an unknown name.
struct FieldSlot {
  Object* object = nullptr;
  int index = -1;

  Value* slot() const { return object == nullptr ? nullptr : &object->slots[index]; }
  const FieldRow& field() const { return kFieldRows[object->row->first + index]; }
};

inline FieldSlot locate(Object& object, std::string_view path) {
  Object* at = &object;
  while (true) {
    size_t dot = path.find('.');
    int i = field_index(*at->row, path.substr(0, dot));
    if (i < 0) return {};
    if (dot == std::string_view::npos) return {at, i};
    at = open(*at, i);
    if (at == nullptr) return {};
    path.remove_prefix(dot + 1);
  }
}

// A string literal as a template argument.
template <size_t N>
struct Literal {
  char text[N];
  constexpr Literal(const char (&from)[N]) {
    std::copy_n(from, N, text);
  }  // implicit, so that a string literal converts
  constexpr std::string_view view() const { return {text, N - 1}; }
  constexpr size_t steps() const { return 1 + static_cast<size_t>(std::count(text, text + N, '.')); }
};

// The field numbers of a path in one word: the number of the first struct in the low 16 bits, then a byte per
// step.
inline constexpr unsigned kStructBits = 16, kStepBits = 8, kMaxSteps = 5;
inline constexpr uint64_t kNoStep = 0xff;
uint64_t resolve(const StructRow& row, std::string_view path);

template <Literal path>
FieldSlot locate(Object& object) {
  static_assert(path.steps() <= kMaxSteps);
  // The steps for the last struct that came here; at first of none. Threads may overwrite each other: every
  // stored word is valid.
  static std::atomic<uint64_t> known = ~uint64_t{0};
  uint64_t steps = known.load(std::memory_order_relaxed);
  if ((steps & ((1u << kStructBits) - 1)) != struct_index(*object.row)) [[unlikely]] {
    steps = resolve(*object.row, path.view());
    known.store(steps, std::memory_order_relaxed);
  }
  Object* at = &object;
  for (steps >>= kStructBits;; steps >>= kStepBits) {
    uint64_t i = steps & kNoStep;
    if (i == kNoStep) return {};
    if ((steps >> kStepBits & kNoStep) == kNoStep) return {at, static_cast<int>(i)};
    at = open(*at, static_cast<int>(i));
    if (at == nullptr) return {};
  }
}

namespace access {

inline bool has(const Value* slot) { return slot != nullptr && !is_absent(*slot); }
inline std::string_view text(const Value* slot) {
  return slot != nullptr && slot->is(Kind::String) ? slot->as_text() : std::string_view();
}
inline size_t count(const Value* slot) {
  return slot != nullptr && (slot->is(Kind::List) || slot->is(Kind::Map)) ? slot->size() : 0;
}
inline Object* child(FieldSlot place) {
  return place.object == nullptr ? nullptr : open(*place.object, place.index);
}

// An item of a list of structs as an Object. decode() made the lists of Objects, so they may change.
inline Object* item(FieldSlot list, const Value& held) {
  if (is_object(held)) return &as_object(held);
  return held.is(Kind::Map) ? &thaw(*list.object->arena, const_cast<Value&>(held), list.field()) : nullptr;
}
inline std::span<const Value> items(FieldSlot list) {
  const Value* slot = list.slot();
  return slot != nullptr && slot->is(Kind::List) ? slot->as_list() : std::span<const Value>();
}
template <class Do>
void each_item(FieldSlot place, Do act) {
  for (const Value& held : items(place)) {
    if (Object* o = item(place, held)) act(*o);
  }
}

}  // namespace access

// The slot at `path`; null if a struct on the path is absent or a name does not exist.
inline Value* find(Object& object, std::string_view path) { return locate(object, path).slot(); }
inline bool has(Object& object, std::string_view path) { return access::has(find(object, path)); }
inline std::string_view text(Object& object, std::string_view path) {
  return access::text(find(object, path));
}
inline bool is_set(Object& object, std::string_view path) {
  Value* slot = find(object, path);
  return slot != nullptr && slot->is_true();
}
// The number of items of a list or entries of a map; 0 if absent.
inline size_t count(Object& object, std::string_view path) { return access::count(find(object, path)); }
inline Object* child(Object& object, std::string_view path) { return access::child(locate(object, path)); }
inline void set(Object& object, std::string_view path, Value value) {
  if (Value* slot = find(object, path)) *slot = value;
}
template <class Do>
void each_item(Object& object, std::string_view path, Do act) {
  access::each_item(locate(object, path), act);
}

// The same with paths as template arguments, for frequent use.
template <Literal path>
Value* find(Object& object) {
  return locate<path>(object).slot();
}
template <Literal path>
bool has(Object& object) {
  return access::has(find<path>(object));
}
template <Literal path>
std::string_view text(Object& object) {
  return access::text(find<path>(object));
}
template <Literal path>
bool is_set(Object& object) {
  Value* slot = find<path>(object);
  return slot != nullptr && slot->is_true();
}
template <Literal path>
size_t count(Object& object) {
  return access::count(find<path>(object));
}
template <Literal path>
Object* child(Object& object) {
  return access::child(locate<path>(object));
}
template <Literal path>
void set(Object& object, Value value) {
  if (Value* slot = find<path>(object)) *slot = value;
}
template <Literal path, class Do>
void each_item(Object& object, Do act) {
  access::each_item(locate<path>(object), act);
}

// The field `name` of a slot that holds an Object or an unchanged Map; absent if there is none.
template <Literal name>
Value peek(const Value& holder) {
  if (is_object(holder)) {
    const Value* slot = find<name>(as_object(holder));
    return slot == nullptr ? absent() : *slot;
  }
  uint32_t first = 0;
  const Value* found =
      holder.is(Kind::Map) ? find_text_key(holder, Value::string(name.view()), first) : nullptr;
  return found == nullptr ? absent() : *found;
}

// A struct with the same slots.
inline Object* shallow_copy(Arena& arena, const Object& from) {
  Object* made = make_object(arena, *from.row);
  std::copy_n(from.slots, from.row->count, made->slots);
  return made;
}

// A struct of `o` that is not shared with another object; null if absent.
inline Object* unshared(Arena& arena, Object& o, std::string_view path) {
  Object* held = child(o, path);
  if (held == nullptr) return nullptr;
  Object* made = shallow_copy(arena, *held);
  set(o, path, Value::opaque(made));
  return made;
}

// Resets a struct within to its empty value.
inline void reset(Arena& arena, Object& o, std::string_view path) {
  Value* slot = find(o, path);
  if (slot != nullptr && is_object(*slot)) *slot = Value::opaque(make_object(arena, *as_object(*slot).row));
}

inline Value list_of(Arena& arena, std::span<const Value> values) {
  Value* items = arena.array<Value>(values.size());
  std::copy(values.begin(), values.end(), items);
  return Value::list(items, values.size());
}
inline Value list_of(Arena& arena, std::initializer_list<Value> values) {
  return list_of(arena, std::span(values));
}
// The list (empty if `list` is none) with one more item.
inline Value appended(Arena& arena, const Value& list, const Value& item) {
  size_t held = list.is(Kind::List) ? list.size() : 0;
  Value* items = arena.array<Value>(held + 1);
  if (held != 0) std::copy_n(list.as_list().begin(), held, items);
  items[held] = item;
  return Value::list(items, held + 1);
}
// Sets an entry of the map of texts at `path`.
void set_entry(Arena& arena, Object& object, std::string_view path, std::string_view key,
               std::string_view value);
// Whether metadata.labels and the labels of the template are one map, as in Go: what is added to one is in the other.
bool shares_labels(Object& object);
// Gives metadata.labels a map of its own.
void separate_labels(Object& object);
// The items of a list; structs become Objects.
inline std::vector<Value> values_of(Object& object, std::string_view path) {
  FieldSlot place = locate(object, path);
  const Value* slot = place.slot();
  if (slot == nullptr || !slot->is(Kind::List)) return {};
  if (place.field().scalar == kStruct) access::each_item(place, [](Object&) {});
  return {slot->as_list().begin(), slot->as_list().end()};
}

}  // namespace portcullis::builtin
