// Checks whether data fits the schema of a kind, as structured merge requires.
//
// Idea: one walk; error texts are only made if there are errors. A configuration is a native form
// (expressions/native_form.h), whose lists and maps of Go do not fit a schema; an object is plain data.
// Source of behaviour: structured-merge-diff v6 typed (validate, helpers), apiserver
// pkg/admission/plugin/policy/mutating/patch/smd.go (findAtomics). Errors of the fields of one map come in
// the order of the data, and end with the first undeclared field; upstream's order is random.
// Limits: kMostErrors; values that Go prints as addresses are printed as values.
// Tested by admission/patching/kind_test.cc and against the oracle by tests/oracle/random_mutations.py.
#pragma once

#include <string_view>
#include <vector>

#include "admission/ownership/merge_type.h"

namespace portcullis::patching {

// The number of errors that are reported; upstream reports all.
inline constexpr size_t kMostErrors = 1000;

// The error of a configuration that does not fit `type`, in the arena; empty if it fits.
std::string_view check_configuration(Arena& arena, const Value& native, const ownership::MergeType& type);
// The same for an object, in which items of sets and keyed lists may repeat.
std::string_view check_object(Arena& arena, const Value& object, const ownership::MergeType& type);

// The paths of all atomic lists, maps and structs in a configuration, separated by ", "; empty if there are
// none. Maps with free keys are not searched. The configuration must fit.
std::string_view find_atomics(Arena& arena, const Value& native, const ownership::MergeType& type);

// A refused part of a configuration, for those who show its place.
struct Misfit {
  std::vector<Value> way;  // the path to it: names (String) and indices (Int)
  std::string_view text;   // as in the error, with its path; in the arena
};
// The parts that check_configuration() refuses, including those after an undeclared field.
std::vector<Misfit> misfits(Arena& arena, const Value& native, const ownership::MergeType& type);
// The parts that find_atomics() finds. The configuration need not fit.
std::vector<Misfit> atomic_parts(Arena& arena, const Value& native, const ownership::MergeType& type);

}  // namespace portcullis::patching
