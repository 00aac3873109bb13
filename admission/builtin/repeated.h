// Objects given as a Document (batch protocol), where members may be repeated: Go's decoder applies them one
// after the other, so that structs and maps merge and a later null clears. Tested by
// admission/builtin/normalize_test.cc.
#pragma once

#include "admission/builtin/normalize.h"
#include "admission/objects/document.h"
#include "grammar/result.h"

namespace portcullis::builtin {

// Reads `given` as data with all its members, and says in `options` what decode() has to know of it. Texts are
// views of `given` or live in the arena.
Result<Value> read_repeated(Arena& arena, const Document& given, DecodeOptions& options);

// Reads `given` (an object of a built-in kind) and normalises it. Texts are views into `given`, which must
// outlive the result, or live in the arena. The error is the API server's text.
Result<Value> normalize_document(Arena& arena, const Document& given);
// The same for an object of the kind `row`, whatever it says itself; `options.json` and
// `repeated` are set here.
Result<Value> normalize_document(Arena& arena, const StructRow& row, const Document& given,
                                 DecodeOptions options);

}  // namespace portcullis::builtin
