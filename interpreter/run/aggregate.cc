#include "interpreter/run/aggregate.h"

#include <algorithm>
#include <string>

#include "interpreter/compile/bytecode.h"
#include "interpreter/values/map.h"
#include "interpreter/values/print.h"
#include "interpreter/values/structs.h"

namespace portcullis {
// cel-go starts an empty list or map with a container of its own, so the copy has no schema flags.
Value accumulator(const Value& v) {
  if (v.is(Kind::List) && v.size() == 0) return Value::list(nullptr, 0);
  if (v.is(Kind::Map) && v.size() == 0) return Value::map(nullptr, 0);
  return v;
}

Value make_list_value(const Value* items, size_t n, const Value* optionals, Arena& arena) {
  Value* made = arena.array<Value>(n);
  size_t kept = 0;
  for (size_t i = 0; i < n; ++i) {
    if (optionals == nullptr || !optionals->as_list()[i].as_bool()) {
      made[kept++] = items[i];
    } else if (items[i].as_optional()) {
      made[kept++] = *items[i].as_optional();
    }
  }
  return Value::list(made, kept);
}

namespace {

// Whether entry `i` of a literal is optional and has no value.
bool is_absent(const Value& value, std::span<const Value> optionals, size_t i) {
  return !optionals.empty() && optionals[i].as_bool() && !value.as_optional();
}

// Drops the absent entries of a literal, and the entries in front of them with the same key, which they remove. Returns
// how many are left. Goes backwards, so that each key is looked up once.
template <class Absent>
size_t drop_absent(MapEntry* entries, size_t n, Absent absent, Arena& arena) {
  Value removed = Value::map(nullptr, 0);
  size_t first = n;
  for (size_t i = n; i-- > 0;) {
    const bool found = find_same_key(removed, entries[i].key) != nullptr;
    if (absent(i)) {
      if (!found) removed = insert_entry(arena, removed, entries[i].key, Value::null());
    } else if (!found) {
      entries[--first] = entries[i];
    }
  }
  std::copy(entries + first, entries + n, entries);
  return n - first;
}

}  // namespace

Value make_map_value(const Value* items, size_t n, const Value* optionals, Arena& arena) {
  n /= 2;
  const std::span<const Value> flags = optionals != nullptr ? optionals->as_list() : std::span<const Value>();
  const auto absent = [&](size_t i) { return is_absent(items[2 * i + 1], flags, i); };
  MapEntry* entries = alloc_entries(arena, n);
  bool all = true;
  for (size_t i = 0; i < n; ++i) {
    const Value &key = items[2 * i], &value = items[2 * i + 1];
    if (!can_be_key(key)) return make_error(arena, "unsupported key type: " + std::string(type_name(key)));
    all &= !absent(i);
    const bool held = !flags.empty() && flags[i].as_bool() && value.as_optional();
    entries[i] = {key, held ? *value.as_optional() : value};
  }
  return make_computed_map(entries, all ? n : drop_absent(entries, n, absent, arena));
}

Value make_struct_value(const Value* items, size_t n, const Value& description, Arena& arena) {
  auto parts = description.as_list();
  auto optionals = parts[1].as_list();
  const auto absent = [&](size_t i) { return is_absent(items[i], optionals, i); };
  MapEntry* fields = alloc_entries(arena, n);
  bool all = true;
  for (size_t i = 0; i < n; ++i) {
    all &= !absent(i);
    const bool held = !optionals.empty() && optionals[i].as_bool() && items[i].as_optional();
    fields[i] = {parts[i + 2], held ? *items[i].as_optional() : items[i]};
  }
  const size_t kept = all ? n : drop_absent(fields, n, absent, arena);
  const auto& form = static_cast<const StructForm&>(parts[0].as_opaque());
  return form.make(form, {fields, kept}, arena);
}

}  // namespace portcullis
