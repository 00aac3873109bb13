// The check that literals `Object.spec.template{...}` stand where their names say.
// Source of behaviour: apiserver pkg/cel/mutation/dynamic (CheckTypeNamesMatchFieldPathNames); errors of several
// fields come in the order of the literal, upstream's is random. Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <string_view>

#include "interpreter/values/builder.h"
#include "interpreter/values/value.h"

namespace portcullis::patching {

// `object` is an Object; the path is that from its own name. All errors, one a line, in the arena; empty: none.
std::string_view check_type_names(Arena& arena, const Value& object);
// The error of a literal of the type `name` in the place of `expected`.
void append_type_name_error(TextBuilder& out, std::string_view name, std::string_view expected);

}  // namespace portcullis::patching
