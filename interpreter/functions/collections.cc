// size(), `in` and indexing of lists, maps, strings and bytes.
// Tested by tests/language/operators.cel, tests/examples.cc.
#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

constexpr Function kRows[] = {
    {.id = "index_list",
     .signature = "_[_](list(A), int) -> A",
     .cost = kIndex,
     .doc = "the element at an index, counted from 0; error if there is none",
     .examples = "[1, 2, 3][1]  // => 2"},
    {.id = "index_map",
     .signature = "_[_](map(A, B), A) -> B",
     .cost = kIndex,
     .doc = "the value of a key; error if the map has no such key",
     .examples = "{'key': 'value'}['key']  // => 'value'"},
    {.id = "in_list",
     .signature = "@in(A, list(A)) -> bool",
     .cost = {actual_by<shapes::kSize1>, estimate_by<shapes::kSize1>, "size1"},
     .doc = "whether a list has an element equal to a value",
     .examples = "2 in [1, 2, 3]  // => true\n'a' in ['b', 'c']  // => false",
     .builtin = Builtin::In,
     .singleton = {kEveryKind}},
    {.id = "in_map",
     .signature = "@in(A, map(A, B)) -> bool",
     .doc = "whether a map has a key",
     .examples = "'key1' in {'key1': 'value1', 'key2': 'value2'}  // => true\n3 in {1: 'one', 2: 'two'}  // "
                 "=> false"},
    {.id = "size_bytes",
     .signature = "size(bytes) -> int",
     .doc = "the number of bytes",
     .examples = "size(b'123')  // => 3",
     .builtin = Builtin::Size,
     .singleton = {kTextKinds | kind_bit(Kind::List) | kind_bit(Kind::Map)}},
    {.id = "bytes_size",
     .signature = "bytes.size() -> int",
     .doc = "the number of bytes",
     .examples = "b'123'.size()  // => 3"},
    {.id = "size_list",
     .signature = "size(list(A)) -> int",
     .doc = "the number of elements",
     .examples = "size([1, 2, 3])  // => 3"},
    {.id = "list_size",
     .signature = "list(A).size() -> int",
     .doc = "the number of elements",
     .examples = "[1, 2, 3].size()  // => 3"},
    {.id = "size_map",
     .signature = "size(map(A, B)) -> int",
     .doc = "the number of entries",
     .examples = "size({'a': 1, 'b': 2})  // => 2"},
    {.id = "map_size",
     .signature = "map(A, B).size() -> int",
     .doc = "the number of entries",
     .examples = "{'a': 1, 'b': 2}.size()  // => 2"},
    {.id = "size_string",
     .signature = "size(string) -> int",
     .doc = "the number of code points",
     .examples = "size('hello')  // => 5"},
    {.id = "string_size",
     .signature = "string.size() -> int",
     .doc = "the number of code points",
     .examples = "'hello'.size()  // => 5"},
};

}  // namespace

std::span<const Function> collections() { return kRows; }

}  // namespace portcullis::tables
