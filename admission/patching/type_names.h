// Checks that the names of literals such as `Object.spec.template{...}` match their places. Source of
// behaviour: apiserver pkg/cel/mutation/dynamic (CheckTypeNamesMatchFieldPathNames). Errors of several fields
// have the order of the literal; upstream's order is random. Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <string_view>

#include "interpreter/values/builder.h"
#include "interpreter/values/value.h"

namespace portcullis::patching {

// `object` is an Object; the path starts with its own name. Returns all errors, one per line, in the arena;
// empty if there are none.
std::string_view check_type_names(Arena& arena, const Value& object);
// The error of a literal of type `name` in a place where `expected` is required.
void append_type_name_error(TextBuilder& out, std::string_view name, std::string_view expected);

}  // namespace portcullis::patching
