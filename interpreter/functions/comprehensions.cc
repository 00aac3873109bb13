// The functions behind the macros of two-variable comprehensions: transformMap() and transformMapEntry()
// build their maps with them.
// Source of behaviour: cel-go ext/comprehensions.go, types.InsertMapKeyValue.
// Tested by tests/language/macros.cel, tests/examples.cc.
#include "interpreter/functions/call.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/map.h"
#include "interpreter/values/print.h"

namespace portcullis::tables {
namespace {

Value insert(CallContext& context, const Value& map, const Value& key, const Value& value) {
  if (find_any_key(map, key) != nullptr) {
    return context.error("insert failed: key " + format_go(key) + " already exists");
  }
  return insert_entry(context.arena(), map, key, value);
}

Value insert_all(CallContext& context, Value map, Map entries) {
  for (const MapEntry& e : entries) {
    map = insert(context, map, e.key, e.value);
    if (map.is_error()) break;
  }
  return map;
}

constexpr Function kRows[] = {
    {.id = "@mapInsert_map_key_value",
     .signature = "cel.@mapInsert(map(K, V), K, V) -> map(K, V)",
     .call =
         wrap([](CallContext& c, Value map, Value key, Value value) { return insert(c, map, key, value); }),
     .doc = "a map with one more entry; error if it has the key; the macro transformMap() calls it",
     .examples = "[5, 6].transformMap(i, v, v * 2)  // => {0: 10, 1: 12}"},
    {.id = "@mapInsert_map_map",
     .signature = "cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)",
     .call = wrap([](CallContext& c, Value map, Map entries) { return insert_all(c, map, entries); }),
     .doc = "a map with the entries of another added; error if it has one of their keys; the macro "
            "transformMapEntry() calls it",
     .examples = "['a', 'b'].transformMapEntry(i, v, {v: i})  // => {'a': 0, 'b': 1}"},
};

}  // namespace

std::span<const Function> comprehensions() { return kRows; }

}  // namespace portcullis::tables
