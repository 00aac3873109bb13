// Mutation of objects: what an expression of a MutatingAdmissionPolicy gave -> the object that comes of it.
// Knows nothing of policies. Front door of this room.
//
// Files in reading order: patched (what comes of a mutation), type_names (do literals stand where their names
// say?), json_value (values of expressions as JSON), edited, json_size, json_patch; go_print, typing (does a
// configuration fit the schema?), merge_trace, merge, apply_configuration; kind (schemas of kinds; decoding and
// defaults of the result).
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating (dispatchOne, patch/).
// Tested by admission/patching/kind_test.cc, and against the oracle by tests/oracle/random_mutations.py.
#pragma once

#include <cstdint>
#include <string_view>

#include "admission/builtin/types.h"
#include "admission/crd/object.h"
#include "admission/ownership/merge_type.h"
#include "admission/patching/merge_trace.h"
#include "admission/patching/patched.h"

namespace portcullis::patching {

// How objects of a kind are handled.
enum class Handling : uint8_t {
  Unknown,    // the server publishes no schema of the group and version: nothing can be mutated
  Plain,      // as they are: JSON without a struct, as a server has custom resources
  Defaulted,  // plain, with the defaults of their definition
  Decoded,    // built-in kinds: strictly decoded into their struct and defaulted
};

// What an API server has of a kind of objects. Small and copyable; what it refers to is immutable and lives as
// long as the program, or as the definition.
struct KindSchema {
  std::string_view group, version, kind;
  Handling handling = Handling::Unknown;
  const ownership::MergeType* type = nullptr;   // null: no schema, so that nothing can be applied to it
  const builtin::StructRow* row = nullptr;      // of Decoded
  const crd::Definition* definition = nullptr;  // of Defaulted
};

// A built-in kind, or one that nobody knows. `typed`: objects are decoded and defaulted as the API server does
// it; else they stay as they are (the batch protocol without `typed`). The texts must outlive the result.
KindSchema builtin_kind(std::string_view group, std::string_view version, std::string_view kind, bool typed);
// A kind of custom resources, at one of its versions; Unknown if that is not served.
KindSchema custom_kind(const crd::Definition& definition, std::string_view version);

// Mutations. `current`: the object as the API server has it at this version, plain data or with the marks of Go
// structs; it must be there. The result is like it: of Decoded kinds it has the marks (builtin::plain_data takes
// them off). A text of an error is what the API server's dispatcher has of it, without the policy.
// `operations`: what the expression of a JSONPatch gave, a list of JSONPatch{}.
Patched mutate_by_json_patch(Arena& arena, const KindSchema& kind, const Value& current,
                             const Value& operations);

// `literal`: what the expression of an ApplyConfiguration gave, an Object{}. `trace`: told what met what in the merge.
Patched mutate_by_configuration(Arena& arena, const KindSchema& kind, const Value& current,
                                const Value& literal, MergeTrace* trace = nullptr);

// The object after the last mutation as the request has it from then on: converted to the internal version
// and back, plain objects of the request's kind whatever mutations made of that.
Patched written_back(Arena& arena, const KindSchema& kind, const Value& object);

}  // namespace portcullis::patching
