// Reading and writing fields of an Object by name, for rules and conversions.
#pragma once

#include <string_view>

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// The slot of `path` ("spec.strategy.type"); null if a struct on the way is absent or a name does not exist.
inline Value* find(Object& object, std::string_view path) {
  Object* at = &object;
  while (true) {
    size_t dot = path.find('.');
    int i = field_index(*at->row, path.substr(0, dot));
    if (i < 0) return nullptr;
    Value& slot = at->slots[i];
    if (dot == std::string_view::npos) return &slot;
    if (!is_object(slot)) return nullptr;
    at = &as_object(slot);
    path.remove_prefix(dot + 1);
  }
}
// A path that is looked up once, for rules that every object of a common kind runs.
class Path {
 public:
  Path(std::string_view structure, std::string_view path) {
    const StructRow* at = find_struct(structure);
    while (true) {
      size_t dot = path.find('.');
      int i = field_index(*at, path.substr(0, dot));
      steps_[count_++] = static_cast<uint16_t>(i);
      if (dot == std::string_view::npos) return;
      at = &struct_at(fields_of(*at)[static_cast<size_t>(i)].structure);
      path.remove_prefix(dot + 1);
    }
  }
  // The slot; null if a struct on the way is absent.
  Value* in(Object& object) const {
    Object* at = &object;
    for (size_t i = 0; i + 1 < count_; ++i) {
      const Value& slot = at->slots[steps_[i]];
      if (!is_object(slot)) return nullptr;
      at = &as_object(slot);
    }
    return &at->slots[steps_[count_ - 1]];
  }

 private:
  static constexpr size_t kMaxSteps = 4;
  uint16_t steps_[kMaxSteps] = {};
  size_t count_ = 0;
};

inline bool has(Object& object, std::string_view path) {
  Value* slot = find(object, path);
  return slot != nullptr && !is_absent(*slot);
}
inline std::string_view text(Object& object, std::string_view path) {
  Value* slot = find(object, path);
  return slot != nullptr && slot->is(Kind::String) ? slot->as_text() : std::string_view();
}
inline bool is_set(Object& object, std::string_view path) {
  Value* slot = find(object, path);
  return slot != nullptr && slot->is_true();
}
// Elements of a list, entries of a map; 0 if absent.
inline size_t count(Object& object, std::string_view path) {
  Value* slot = find(object, path);
  return slot != nullptr && (slot->is(Kind::List) || slot->is(Kind::Map)) ? slot->size() : 0;
}
inline Object* child(Object& object, std::string_view path) {
  Value* slot = find(object, path);
  return slot != nullptr && is_object(*slot) ? &as_object(*slot) : nullptr;
}
inline void set(Object& object, std::string_view path, Value value) {
  if (Value* slot = find(object, path)) *slot = value;
}
template <class Do>
void each_item(Object& object, std::string_view path, Do act) {
  Value* slot = find(object, path);
  if (slot == nullptr || !slot->is(Kind::List)) return;
  for (const Value& item : slot->as_list()) {
    if (is_object(item)) act(as_object(item));
  }
}

}  // namespace portcullis::builtin
