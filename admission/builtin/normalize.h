// Normalisation: turns an object of a built-in kind into what a policy sees: decoded into the Go type,
// defaulted, converted to the internal version and back, encoded as plain data.
//
// Files in reading order: types (the structs as a table), object, unchanged, literal, time, image, decode,
// encode, access, default_rows, default_rules, defaults, internal_version, conversion, normalize. For the
// phases after decoding: surroundings, plugins, pods, system_metadata, registry, updates, scales, merging, managed.
// Source of behaviour: the codec of the API server; mode `decode` of the batch protocol compares.
// docs/faithfulness.md lists what the later phases emulate. Tested by admission/builtin/normalize_test.cc.
#pragma once

#include <string>

#include "admission/builtin/decode.h"

namespace portcullis::builtin {

struct Normalized {
  Value object;            // lives in the arena, with views into the input
  std::string error;       // the API server's text for a value of a wrong type; then `object` is null
  std::string error_path;  // the field of that value
};

// Whether apiVersion and kind of `object` name a built-in kind.
bool is_builtin(const Value& object);

// The struct of the kind of `object`; null if it is no built-in kind.
const StructRow* struct_of(const Value& object);
// The same; also null for kinds that the batch protocol does not know.
const StructRow* protocol_struct_of(const Value& object);

// Normalises `object`, which must be of a built-in kind. Apart from errors and unknown fields, allocates in
// the arena only.
Normalized normalize(Arena& arena, const Value& object, const DecodeOptions& options = {});
Normalized normalize(Arena& arena, const StructRow& row, const Value& object, const DecodeOptions& options);

// The object as an API server reads it from its store, which is what a deletion is about. `object` is as users write
// it, and of a built-in kind. If it has no uid, it is treated as the manifest from which the stored object was
// created, but a status that it has is kept. Fails as decoding does.
Normalized stored_object(Arena& arena, const Value& object, const DecodeOptions& options);

// A stored object as the API server's informers hold it: a param or a Namespace. One without a uid is a manifest: it
// counts as just created, with all that storing it fills in, if it is of a built-in kind and decodes; else with the
// metadata of a stored object. Informers of built-in kinds drop metadata.managedFields. Source of behaviour: kubernetes
// pkg/controlplane/apiserver/config.go. Tested by tests/cli/system_metadata.txt.
Value held_by_informer(Arena& arena, const Value& object, std::string_view now);

// Normalises an update of `stored` by `object`, both as users write them and of built-in kinds. `stored` is read as
// stored_object() reads it. What is stored at another version of the kind is converted, as the API server does, and the
// old object of a Scale may be the workload that it scales. Fails as decoding does. `options.subresource` is that of
// the update; `options.phase` is Mutating (what MutatingAdmissionPolicies see) or Validating.
struct NormalizedUpdate {
  Normalized object, stored;
};
NormalizedUpdate normalize_update(Arena& arena, const Value& object, const Value& stored,
                                  const DecodeOptions& options);

// Turns an object that was normalised for MutatingAdmissionPolicies (Phase::Mutating) and changed by them
// into what ValidatingAdmissionPolicies see, with the defaults of the changed object. `stored`: the object
// that an update replaces, as normalize_update made it; null for a create. `options`: those of the
// normalisation. Fails as decoding does.
Normalized complete(Arena& arena, const Value& object, const Value* stored, const DecodeOptions& options);

// A new object that was normalised for MutatingAdmissionPolicies and changed by them or by webhooks, after admission
// plugins have looked at it again; as it is if it does not decode. `options`: those of the normalisation. Limits:
// plugins never refuse it. Source of behaviour: apiserver pkg/admission/reinvocation.go. Tested by
// tests/cli/plugins_again.txt.
Value admit_again(Arena& arena, const Value& object, const DecodeOptions& options);

// Converts a normalised object (or null, which stays null) to another version of its kind. If the two kinds
// are not versions of one type, only apiVersion and kind change.
Value convert_to(Arena& arena, const Value& object, std::string_view group, std::string_view version,
                 std::string_view kind);

// What a ValidatingAdmissionPolicy sees of a stored param: plain data without unknown fields. No defaults are
// set, since storing the param set them. (Informers hold it without apiVersion and kind; the plugin adds
// those of paramKind.) Source of behaviour: apiserver pkg/admission/plugin/policy/validating/dispatcher.go,
// wrappedParam.
Normalized param_object(Arena& arena, const Value& object);
// What a MutatingAdmissionPolicy sees of a param: the Go struct as informers hold it, without apiVersion and
// kind. Source of behaviour: .../policy/mutating, which adds neither.
Normalized informer_object(Arena& arena, const Value& object);

}  // namespace portcullis::builtin
