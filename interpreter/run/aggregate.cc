#include "interpreter/run/aggregate.h"

#include <algorithm>
#include <string>

#include "interpreter/compile/bytecode.h"
#include "interpreter/values/equal.h"
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

Value no_optional(const Value& value, const Value& key, const Value& field, uint8_t flags, Arena& arena) {
  std::string what = flags == kEntry   ? "entry '" + format_go(key) + "'"
                     : flags == kField ? "entry '" + std::string(field.as_text()) + "'"
                                       : "list element";
  return make_error(arena,
                    "cannot initialize optional " + what + " from non-optional value " + format_go(value));
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

Value make_map_value(const Value* items, size_t n, const Value* optionals, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, n / 2);
  size_t kept = 0;
  for (size_t i = 0; i < n / 2; ++i) {
    const Value& key = items[2 * i];
    Value value = items[2 * i + 1];
    if (!can_be_key(key)) return make_error(arena, "unsupported key type: " + std::string(type_name(key)));
    if (optionals && optionals->as_list()[i].as_bool()) {
      if (!value.as_optional()) {
        kept = static_cast<size_t>(
            std::remove_if(entries, entries + kept, [&](const MapEntry& e) { return same_key(e.key, key); }) -
            entries);
        continue;
      }
      value = *value.as_optional();
    }
    entries[kept++] = {key, value};
  }
  return make_computed_map(arena, entries, kept);
}

Value make_struct_value(const Value* items, size_t n, const Value& description, Arena& arena) {
  auto parts = description.as_list();
  auto optionals = parts[1].as_list();
  MapEntry* fields = alloc_entries(arena, n);
  size_t kept = 0;
  for (size_t i = 0; i < n; ++i) {
    Value name = parts[i + 2], value = items[i];
    if (!optionals.empty() && optionals[i].as_bool()) {
      if (!value.as_optional()) {  // as in a map, what was set before goes
        kept = static_cast<size_t>(
            std::remove_if(fields, fields + kept,
                           [&](const MapEntry& field) { return field.key.as_text() == name.as_text(); }) -
            fields);
        continue;
      }
      value = *value.as_optional();
    }
    fields[kept++] = {name, value};
  }
  const auto& form = static_cast<const StructForm&>(parts[0].as_opaque());
  return form.make(form, {fields, kept}, arena);
}

}  // namespace portcullis
