// Numbers of fields that are float64 in Go, as `maximum` of a CustomResourceDefinition's schema. Go writes 3.0 to
// JSON as 3, so an AdmissionReview has the int, but the API server's own policies see the struct, whose number is a
// double.
// Tested by tests/cli/as_sent.txt.
#pragma once

#include "admission/builtin/types.h"

namespace portcullis::builtin {

// `object`, of the kind with the struct `row`, with doubles in such fields, down to the 200th struct within another.
// Lives in `arena`, with the parts of `object` that stay.
Value with_floats(Arena& arena, const StructRow& row, const Value& object);

}  // namespace portcullis::builtin
