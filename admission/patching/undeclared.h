// Fields that a definition does not declare, in an object that an API server sent by a newer definition of its own.
//
// Idea: such fields merge as where a definition says x-kubernetes-preserve-unknown-fields, with one difference: an
// apply configuration may not write a list into them, since only the newer definition knows how it merges, and most
// lists are atomic. Nor may it replace what it does not know (Declared in merge_type.h).
// Tested by admission/patching/undeclared_test.cc and tests/cli/as_sent.txt.
#pragma once

#include "admission/ownership/merge_type.h"

namespace portcullis::patching {

// Whether `object` has a field that `type` does not declare. Values of other types than the declared ones have none.
bool has_undeclared(const Value& object, const ownership::MergeType& type);

// `type`, with every field declared: those that are new merge by the form of their values. In the arena, made as far as
// it is asked for; refers to `type`.
const ownership::MergeType& with_undeclared(Arena& arena, const ownership::MergeType& type);

}  // namespace portcullis::patching
