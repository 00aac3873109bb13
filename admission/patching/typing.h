// Does data fit the schema of a kind, as structured merge wants it?
//
// Idea: one walk; errors are put together only where there are any. A configuration is a native form
// (expressions/native_form.h), in which Go's own lists and maps are none of the schema's; an object is plain data.
// Source of behaviour: structured-merge-diff v6 typed (validate, helpers), apiserver
// pkg/admission/plugin/policy/mutating/patch/smd.go (findAtomics). Errors of the fields of one map come in the
// order of the data and end with the first that is not declared; upstream's order is random.
// Limits: kMostErrors; values that Go prints as addresses are printed as values.
// Tested by admission/patching/kind_test.cc and against the oracle by tests/oracle/random_mutations.py.
#pragma once

#include <string_view>
#include <vector>

#include "admission/ownership/merge_type.h"

namespace portcullis::patching {

// As many errors are told, of which upstream tells all.
inline constexpr size_t kMostErrors = 1000;

// The error of a configuration that does not fit `type`, in the arena; empty: it does.
std::string_view check_configuration(Arena& arena, const Value& native, const ownership::MergeType& type);
// The same of an object, in which items of sets and keyed lists may occur more than once.
std::string_view check_object(Arena& arena, const Value& object, const ownership::MergeType& type);

// Paths of all lists, maps and structs of a configuration that are atomic, separated by ", "; empty: none. What is
// in maps of free keys is not looked into. The configuration fits.
std::string_view find_atomics(Arena& arena, const Value& native, const ownership::MergeType& type);

// One part of a configuration that is refused, for those who show where it stands.
struct Misfit {
  std::vector<Value> way;  // from the configuration to it: names (String) and indices (Int)
  std::string_view text;   // as the error has it, with its path; in the arena
};
// What check_configuration() refuses, also behind a field that is not declared.
std::vector<Misfit> misfits(Arena& arena, const Value& native, const ownership::MergeType& type);
// What find_atomics() finds. The configuration need not fit.
std::vector<Misfit> atomic_parts(Arena& arena, const Value& native, const ownership::MergeType& type);

}  // namespace portcullis::patching
