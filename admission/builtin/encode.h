// Encoding: turns an Object into plain data, as runtime.DefaultUnstructuredConverter of the API server does:
// which fields it omits, which it writes as zero or null. Marks say which parts are parts of Go structs
// (interpreter/values/go_values.h). Tested by admission/builtin/normalize_test.cc and against the oracle's
// mode `decode`.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// A map of the fields of `object` in Go's order, in the arena.
Value encode(Arena& arena, const Object& object);
// The same without the marks.
Value encode_plain(Arena& arena, const Object& object);
// The same as encode(), with lists and maps that are given without content, which Go code tells from absent ones.
Value encode_present(Arena& arena, const Object& object);

// Whether the field is omitted if it is absent.
bool is_left_out_absent(const FieldRow& field);

}  // namespace portcullis::builtin
