// Unchanged: finds structs that decode and encode to their input, which is then passed through.
//
// Idea: most structs of a manifest (an env variable, a security context, the metadata of a template) come out
// of decoding and encoding as they went in. If one pass over the data proves that, decode makes no Object:
// the slot holds the Map of the input. Code that needs to write to such a slot uses access.h, which makes the
// Object then. A struct is unchanged if neither it nor a struct within has defaults, all its members are
// known fields of the right type and not null, no zero value would be omitted, and no field that is always
// written is missing. In doubt the answer is no. Tested by admission/builtin/normalize_test.cc and against
// the oracle's mode `decode`.
#pragma once

#include "admission/builtin/types.h"

namespace portcullis::builtin {

enum class Unchanged : uint8_t {
  No,
  Flat,  // and contains no lists or maps
  Deep,
};
// Whether `data` (a Map without repeated names) decodes as `row` to itself.
Unchanged unchanged_by_decoding(const StructRow& row, const Value& data);
inline bool decodes_unchanged(const StructRow& row, const Value& data) {
  return unchanged_by_decoding(row, data) != Unchanged::No;
}

// Whether the quantity is printed as it is written: few digits without a leading zero, not a multiple of the
// next suffix, nothing finer than thousandths.
bool is_plain_quantity(std::string_view text);

}  // namespace portcullis::builtin
