// Makes the values of list, map and message literals for the machine (ops_values.cc).
//
// Idea: the parts of a literal lie in consecutive registers, and a constant of the program says which are
// optional. These functions copy the parts that are present into the arena. The machine has already dealt
// with errors.
// Source of behaviour: cel-go interpreter/interpretable.go (evalList, evalMap, evalObj).
// Tested by tests/language and interpreter/run/cel_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The initial value of a comprehension's accumulator.
Value accumulator(const Value& v);

// `optionals`: a list with a bool for each item (a map has one for each entry, of two items); null if none is
// optional.
Value make_list_value(const Value* items, size_t n, const Value* optionals, Arena& arena);

// The same for a map. A key of a type that no key may have is an error.
Value make_map_value(const Value* items, size_t n, const Value* optionals, Arena& arena);

// `description`: a list of the type's StructForm, its `optionals` and the names of its fields. Returns what
// the form makes of the fields that are present, which may be an error.
Value make_struct_value(const Value* items, size_t n, const Value& description, Arena& arena);

}  // namespace portcullis
