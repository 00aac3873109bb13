// Normalises an object given as a Document (batch protocol), in which members may be repeated. Go's decoder
// applies repeated members in order, so that structs and maps merge and a later null clears. Tested by
// admission/builtin/normalize_test.cc.
#pragma once

#include "admission/builtin/decode.h"
#include "admission/objects/document.h"
#include "grammar/result.h"

namespace portcullis::builtin {

// Reads `given` as data with all its members, and sets the fields of `options` that describe it. A number beyond a
// double is infinite: Go passes over it where no field takes it. Texts are views of `given` or live in the arena.
Value read_repeated(Arena& arena, const Document& given, DecodeOptions& options);

// Reads and normalises `given`, an object of a built-in kind. Texts are views of `given`, which must outlive
// the result, or live in the arena. The error is the text of the API server.
Result<Value> normalize_document(Arena& arena, const Document& given);
// The same for an object of the kind `row`, whatever its apiVersion and kind are. Sets `options.json` and
// `options.repeated` itself.
Result<Value> normalize_document(Arena& arena, const StructRow& row, const Document& given,
                                 DecodeOptions options);

}  // namespace portcullis::builtin
