// Lists, maps and messages that an expression writes: what the machine (vm.cc) calls for its literals.
//
// Idea: the values of a literal lie in a row of registers, and a constant of the program says which of them
// are optional; these functions copy the ones that are there into the arena. Errors among them have been
// dealt with before. Source of behaviour: cel-go interpreter/interpretable.go (evalList, evalMap, evalObj).
// Tested by tests/language and interpreter/run/cel_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

// What an accumulator of a comprehension starts from.
Value accumulator(const Value& v);

// The error of `?k: value` where `value` is no optional. `flags` say what it is part of: kEntry (of `key`),
// kField (named `field`) or neither, a list.
Value no_optional(const Value& value, const Value& key, const Value& field, uint8_t flags, Arena& arena);

// `optionals`: a list of bools, one an item (an entry of a map is two items); null if none is optional.
Value make_list_value(const Value* items, size_t n, const Value* optionals, Arena& arena);

// A key of a type that cannot be one is an error.
Value make_map_value(const Value* items, size_t n, const Value* optionals, Arena& arena);

// `description`: a list of the StructForm of the type, its `optionals`, the names of its fields. What the
// form makes of those that are there; may be an error.
Value make_struct_value(const Value* items, size_t n, const Value& description, Arena& arena);

}  // namespace portcullis
