// Structured merge: merges a configuration into an object.
//
// Idea: the result shares the parts that the configuration does not name; along the names that it has, maps
// are copied. Items of sets and keyed lists are matched by their path elements, which are numbered once by
// sorting. Kept from upstream: a null or empty list or map of a configuration leaves the object's unchanged;
// if the object has several items of one element, the configuration's item replaces them; shared items have
// the order of the configuration.
// Ours: where the type is not declared in full, a configuration does not replace such items, nor values of another
// form.
// Source of behaviour: structured-merge-diff v6 typed/merge.go. Tested by admission/patching/kind_test.cc and
// against the oracle by tests/oracle/random_mutations.py.
#pragma once

#include <optional>

#include "admission/ownership/merge_type.h"
#include "admission/patching/merge_trace.h"

namespace portcullis::patching {

// Both must fit `type` (typing.h), and `native` must have no atomic parts where find_atomics() searches. The
// result is in the arena. `trace` records the steps; may be null. Returns nothing if the configuration replaces what
// `type` does not declare.
std::optional<Value> merge(Arena& arena, const Value& object, const Value& native,
                           const ownership::MergeType& type, MergeTrace* trace = nullptr);

}  // namespace portcullis::patching
