// See keeper.h.
#include "interpreter/values/keeper.h"

namespace portcullis {

static_assert(sizeof(MapEntry) == 2 * sizeof(Value));

const char* Keeper::share(std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  auto found = parts_.find(bytes);
  if (found == parts_.end()) found = parts_.insert(arena_.copy(bytes)).first;
  return found->data();
}

Value Keeper::keep(const Value& value) {
  switch (value.kind()) {
    case Kind::String:
    case Kind::Bytes: {
      const std::string_view text = value.as_text(), copy(share(text), text.size());
      return value.is(Kind::String) ? Value::string(copy) : Value::bytes(copy);
    }
    case Kind::List: return list(value);
    case Kind::Map: return map(value);
    default: return value;
  }
}

Value Keeper::list(const Value& value) {
  const size_t first = open_.size();
  for (const Value& item : value.as_list()) open_.push_back(keep(item));
  const char* items =
      share({reinterpret_cast<const char*>(open_.data() + first), value.size() * sizeof(Value)});
  open_.resize(first);
  return Value::list(reinterpret_cast<const Value*>(items), value.size(), value.flags());
}

Value Keeper::map(const Value& value) {
  const size_t first = open_.size();
  for (const MapEntry& e : value.as_map()) {
    open_.push_back(keep(e.key));
    open_.push_back(keep(e.value));
  }
  const Value* copied = open_.data() + first;
  const MapEntry* entries = nullptr;
  if ((value.flags() & kIndexed) != 0) {
    MapEntry* own = alloc_entries(arena_, value.size());
    for (size_t i = 0; i < value.size(); i++) own[i] = {copied[2 * i], copied[2 * i + 1]};
    entries = make_map(own, value.size()).as_map().data();
  } else {
    entries = reinterpret_cast<const MapEntry*>(
        share({reinterpret_cast<const char*>(copied), value.size() * sizeof(MapEntry)}));
  }
  open_.resize(first);
  const Value copy = Value::map(entries, value.size(), value.flags());
  return value.flags() & kGoStruct ? copy.as_go_struct(value.go_struct()) : copy;
}

}  // namespace portcullis
