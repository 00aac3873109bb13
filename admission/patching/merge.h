// Structured merge: an object and a configuration that is applied to it -> both in one.
//
// Idea: what the configuration does not name is shared with the object; along the names that it has, maps are
// made anew. Items of sets and keyed lists meet by their path elements, which are numbered once by sorting.
// Kept from upstream: a null or empty list or map of a configuration leaves what is there; items that the
// object has more than once are replaced by the one of the configuration; where both sides share items, those
// come in the order of the configuration.
// Source of behaviour: structured-merge-diff v6 typed/merge.go. Tested by admission/patching/kind_test.cc and
// against the oracle by tests/oracle/random_mutations.py.
#pragma once

#include "admission/ownership/merge_type.h"
#include "admission/patching/merge_trace.h"

namespace portcullis::patching {

// Both fit `type` (typing.h); `native` has no atomic lists, maps or structs where they are looked for. In the
// arena. `trace` is told what met what; null: nobody is.
Value merge(Arena& arena, const Value& object, const Value& native, const ownership::MergeType& type,
            MergeTrace* trace = nullptr);

}  // namespace portcullis::patching
