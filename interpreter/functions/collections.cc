// size(), `in` and indexing of lists, maps, strings and bytes.
#include <algorithm>

#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/map.h"

namespace portcullis::tables {
namespace {

constexpr Call kTextSize =
    wrap([](std::string_view s) { return static_cast<int64_t>(count_code_points(s)); });
// Of bytes, lists and maps.
constexpr Call kCount = wrap([](Value v) { return static_cast<int64_t>(v.size()); });

constexpr Function kRows[] = {
    {.id = "index_list",
     .signature = "_[_](list(A), int) -> A",
     .flags = kSpecialForm,
     .doc = "the element at an index, from 0; error outside",
     .examples = "[1, 2, 3][1]  // => 2"},
    {.id = "index_map",
     .signature = "_[_](map(A, B), A) -> B",
     .flags = kSpecialForm,
     .doc = "the value of a key; error if the map has no such key",
     .examples = "{'key': 'value'}['key']  // => 'value'"},
    {.id = "in_list",
     .signature = "@in(A, list(A)) -> bool",
     .call = wrap([](CallContext& c, Value element, List list) {
       return std::any_of(list.begin(), list.end(),
                          [&](const Value& v) { return equals(element, v, c.arena()); });
     }),
     .cost = {actual_by<shapes::kSize1>, estimate_by<shapes::kSize1>, "size of the list"},
     .doc = "whether a list has an element that is equal",
     .examples = "2 in [1, 2, 3]  // => true\n'a' in ['b', 'c']  // => false"},
    {.id = "in_map",
     .signature = "@in(A, map(A, B)) -> bool",
     .call = wrap([](Value key, Value map) { return find_any_key(map, key) != nullptr; }),
     .doc = "whether a map has a key",
     .examples = "'key1' in {'key1': 'value1', 'key2': 'value2'}  // => true\n3 in {1: 'one', 2: 'two'}  // "
                 "=> false"},
    {.id = "size_bytes",
     .signature = "size(bytes) -> int",
     .call = kCount,
     .doc = "number of bytes",
     .examples = "size(b'123')  // => 3"},
    {.id = "bytes_size",
     .signature = "bytes.size() -> int",
     .call = kCount,
     .doc = "number of bytes",
     .examples = "b'123'.size()  // => 3"},
    {.id = "size_list",
     .signature = "size(list(A)) -> int",
     .call = kCount,
     .doc = "number of elements",
     .examples = "size([1, 2, 3])  // => 3"},
    {.id = "list_size",
     .signature = "list(A).size() -> int",
     .call = kCount,
     .doc = "number of elements",
     .examples = "[1, 2, 3].size()  // => 3"},
    {.id = "size_map",
     .signature = "size(map(A, B)) -> int",
     .call = kCount,
     .doc = "number of entries",
     .examples = "size({'a': 1, 'b': 2})  // => 2"},
    {.id = "map_size",
     .signature = "map(A, B).size() -> int",
     .call = kCount,
     .doc = "number of entries",
     .examples = "{'a': 1, 'b': 2}.size()  // => 2"},
    {.id = "size_string",
     .signature = "size(string) -> int",
     .call = kTextSize,
     .doc = "number of code points",
     .examples = "size('hello')  // => 5"},
    {.id = "string_size",
     .signature = "string.size() -> int",
     .call = kTextSize,
     .doc = "number of code points",
     .examples = "'hello'.size()  // => 5"},
};

}  // namespace

std::span<const Function> collections() { return kRows; }

}  // namespace portcullis::tables
