// Makes values of the public face, for Memory and for functions of the embedder. Tested by library/cel_test.cc.
#pragma once

#include <portcullis/value.h>

#include <optional>
#include <span>

#include "interpreter/values/arena.h"

namespace portcullis::v1 {

// As Memory::list and its neighbours, in `arena`.
Value make_bytes(Arena& arena, std::string_view bytes);
Value make_list(Arena& arena, std::span<const Value> items);
Value make_map(Arena& arena, std::span<const MapItem> entries);
Value make_optional(Arena& arena, std::optional<Value> value);

}  // namespace portcullis::v1
