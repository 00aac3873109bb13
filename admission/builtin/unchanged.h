// Unchanged: structs that decode to what was written, and so are passed through.
//
// Idea: most structs of a manifest (an env variable, a security context, the metadata of a template) come out
// of decoding and encoding as they went in. Where it can be seen in one pass over the data that they will, no
// Object is made: the slot holds the Map of the input. Code that wants to look into such a slot asks
// access.h, which makes the Object then. A struct is unchanged if neither it nor what it holds has defaults of
// its own, each field is known and of the right type, none is null, no zero value is one that is left out, and
// none is missing that is always written. Where in doubt, it is not. Tested by
// admission/builtin/normalize_test.cc and against the oracle's mode `decode`.
#pragma once

#include "admission/builtin/types.h"

namespace portcullis::builtin {

enum class Unchanged : uint8_t {
  No,
  Flat,  // and holds no lists and maps
  Deep,
};
// Does `data` (a Map in which no name is repeated) decode as a `row` to what it is?
Unchanged unchanged_by_decoding(const StructRow& row, const Value& data);
inline bool decodes_unchanged(const StructRow& row, const Value& data) {
  return unchanged_by_decoding(row, data) != Unchanged::No;
}

// Quantities that are printed as they are written: few digits without a leading zero, not a multiple of what
// the next suffix stands for, nothing finer than thousandths.
bool is_plain_quantity(std::string_view text);

}  // namespace portcullis::builtin
