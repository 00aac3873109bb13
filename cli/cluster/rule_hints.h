// Suggestions for fields that rules of a definition cannot read: which one was meant, or why this one is not visible.
//
// Idea: the schema of what the field was asked of is found by walking the expression before it, `self.spec.list[0]` or
// the variable of a macro over such a path. Only names that are visible there are suggested. Limits: of other
// expressions (results of functions, computed lists) nothing is known, and nothing is said. Tested by
// tests/cli/crd.txt.
#pragma once

#include <string>
#include <string_view>

#include "admission/crd/definition.h"
#include "grammar/result.h"

namespace portcullis {

// What helps against "undefined field 'NAME'" at `position` of the expression `text`, which is at `path` in the
// definition; empty if nothing is known.
std::string meant_field(std::string_view issue, Position position, std::string_view text,
                        std::string_view path, const crd::Definition& definition);

}  // namespace portcullis
