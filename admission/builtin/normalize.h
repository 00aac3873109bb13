// What the API server makes of an object of a built-in kind before a policy sees it: decoded into the Go
// type, defaulted, converted to the internal version and back, made plain data again.
//
// Files, in reading order: types (the structs as a table), object, unchanged, literal, time, image, decode,
// encode, access, default_rows, default_rules, defaults, internal_version, conversion, normalize.
// Source of behaviour: the API server's codec; judge: mode `decode` of the batch protocol. What the server
// does after that (registry strategies, metadata) is not in it: see docs/faithfulness.md.
// Tested by admission/builtin/normalize_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admission/builtin/decode.h"

namespace portcullis::builtin {

struct Normalized {
  Value object;            // lives in the arena, with views into the input
  std::string error;       // the API server's text for a value of a wrong type; then `object` is null
  std::string error_path;  // where that value is
};

// Is `apiVersion` and `kind` of `object` a built-in kind?
bool is_builtin(const Value& object);

// The struct of the kind of `object`, or null.
const StructRow* struct_of(const Value& object);
// The same, but null also for kinds that the batch protocol does not know.
const StructRow* protocol_struct_of(const Value& object);

// `object` must be of a built-in kind. Apart from errors and unknown fields, allocates in the arena only.
Normalized normalize(Arena& arena, const Value& object, const DecodeOptions& options = {});
Normalized normalize(Arena& arena, const StructRow& row, const Value& object, const DecodeOptions& options);

// An update of `stored` by `object`, both as someone would write them, of built-in kinds; `stored` without a
// uid is taken to be as it was created from. Fails as decoding does. `options.phase`: what MutatingAdmissionPolicies
// see of it, or else what ValidatingAdmissionPolicies do.
struct NormalizedUpdate {
  Normalized object, stored;
};
NormalizedUpdate normalize_update(Arena& arena, const Value& object, const Value& stored,
                                  const DecodeOptions& options, bool status);

// What ValidatingAdmissionPolicies see of an object that was normalised for MutatingAdmissionPolicies (Phase::Mutating)
// and changed by them, with the defaults that follow from that. `stored`: what an update replaces, as normalize_update made it; null: the object is created.
// `options`: those that it was normalised with. Fails as decoding does.
Normalized complete(Arena& arena, const Value& object, const Value* stored, const DecodeOptions& options,
                    bool status);

// A normalised object (or null, which stays) at another version of its kind. Kinds that are not the same
// objects: only apiVersion and kind change.
Value convert_to(Arena& arena, const Value& object, std::string_view group, std::string_view version,
                 std::string_view kind);

// What a ValidatingAdmissionPolicy sees of a param that is stored: no unknown fields, plain data. Nothing is
// defaulted, since it was when it was stored. (Informers hold it without apiVersion and kind; the plugin
// adds those of paramKind.) Source of behaviour: apiserver
// pkg/admission/plugin/policy/validating/dispatcher.go, wrappedParam.
Normalized param_object(Arena& arena, const Value& object);
// What a MutatingAdmissionPolicy sees of it: the Go struct as informers hold it, without apiVersion and kind. Source:
// .../policy/mutating, which adds nothing to it.
Normalized informer_object(Arena& arena, const Value& object);

}  // namespace portcullis::builtin
