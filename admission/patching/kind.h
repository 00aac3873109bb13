// Mutation of objects: applies the value of a MutatingAdmissionPolicy's expression to an object. Does not
// depend on policies. The front door of this room.
//
// Files in reading order: patched (the result of a mutation), type_names (whether literals match their
// names), json_value (values of expressions as JSON), edited, json_size, json_patch; go_print, typing
// (whether a configuration fits the schema), undeclared, merge_trace, merge, apply_configuration; kind (schemas of
// kinds; decoding and defaults of the result); outline, outlined_values, outlined_pointer, foreseen (mistakes found
// without an object).
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating (dispatchOne, patch/). Tested by
// admission/patching/kind_test.cc, and against the oracle by tests/oracle/random_mutations.py.
#pragma once

#include <cstdint>
#include <string_view>

#include "admission/builtin/types.h"
#include "admission/crd/definition.h"
#include "admission/ownership/merge_type.h"
#include "admission/patching/json_patch.h"
#include "admission/patching/merge_trace.h"
#include "admission/patching/patched.h"

namespace portcullis::patching {

// How the server handles objects of a kind.
enum class Handling : uint8_t {
  Unknown,    // no published schema of the group and version: mutations fail
  Plain,      // JSON without a struct, as a server has custom resources
  Defaulted,  // JSON with the defaults of the definition
  Decoded,    // built-in kinds: strictly decoded into their struct and defaulted
  // Of a struct, with a converter that has no kind of its group: whatever changes it fails, whether or not it decodes.
  // Quirk of upstream for the scale of custom resources (apiextensions-apiserver
  // pkg/apiserver/conversion/converter.go).
  Unconvertible,
};

// A kind of objects in an API server. Small and copyable. What it refers to is immutable and lives as long as
// the program or the definition.
struct KindSchema {
  std::string_view group, version, kind;
  Handling handling = Handling::Unknown;
  const ownership::MergeType* type = nullptr;  // its fields; null: unknown
  bool published = false;  // the server has its schema; without it, no configuration can be applied
  const builtin::StructRow* row = nullptr;      // if Decoded
  const crd::Definition* definition = nullptr;  // if Defaulted
  bool fills_defaults = true;  // whether the definition gives its defaults to the result of a mutation
  bool is_older = false;       // whether the API server's definition may declare more fields (undeclared.h)
};

// A built-in kind, or an unknown one. `typed`: objects are decoded and defaulted as the API server does; else
// they stay unchanged (the batch protocol without `typed`). The texts must outlive the result.
KindSchema builtin_kind(std::string_view group, std::string_view version, std::string_view kind, bool typed);
// A kind of custom resources at one version; Unknown if that version is not served.
KindSchema custom_kind(const crd::Definition& definition, std::string_view version);

// Whether the definition of `kind`, if it has one, adds no default to `object`. If it adds some to an object that an
// API server has sent (AdmissionRequest::served), the server has another definition.
bool has_defaults(Arena& arena, const KindSchema& kind, const Value& object);
// Whether the definition of `kind`, if it has one, declares every field of `object`. If it lacks some of an object
// that an API server has sent, which drops unknown fields, the server has a newer definition.
bool declares_all(const KindSchema& kind, const Value& object);

// The object that a mutation changes.
struct Current {
  // As the API server has it at this version, as plain data or with the marks of Go structs; not null.
  Value object;
  // Whether the object has its defaults: those of requests and results of mutations do. Then only what
  // a mutation touches is decoded again, if the kind is Decoded.
  bool complete = false;
};

// Mutations. The result has the form of `current`: objects of Decoded kinds have the marks
// (builtin::plain_data removes them). Error texts are those of the API server's dispatcher, without the
// policy. `operations`: the value of a JSONPatch expression, a list of JSONPatch{}. It may give an object of a
// Decoded kind another kind of the same version, which later mutations may undo: written_back() refuses it.
Patched mutate_by_json_patch(Arena& arena, const KindSchema& kind, const Current& current,
                             const Value& operations);

// `literal`: the value of an ApplyConfiguration expression, an Object{}. `trace`: records the merge steps.
Patched mutate_by_configuration(Arena& arena, const KindSchema& kind, const Current& current,
                                const Value& literal, MergeTrace* trace = nullptr);

// What the patch of a webhook makes of an object.
struct WebhookPatched {
  Patched patched;       // fails with a Status
  bool changed = false;  // whether the patch changed the object, before defaults
};
// Applies the patch of a webhook to `current`, an object of `kind` at the version of the call. Fields that the
// kind does not have are dropped. If the patch changes the kind of a Decoded object, the result is of that
// kind, and the API server fails to convert it back.
WebhookPatched patch_of_webhook(Arena& arena, const KindSchema& kind, const Value& current,
                                std::span<const JsonOperation> operations);

// `object`, which patches made of an object of `kind`, as an object of `kind` again: patches may have
// taken its kind away or changed its version. Fails with the API server's text, which is no Status, if it is of
// another kind.
Patched with_own_kind(Arena& arena, const KindSchema& kind, const Value& object);

// The object after the last mutation, as the request holds it from then on: converted to the internal version
// and back. A plain object gets the kind of the request, whatever mutations made of that; a custom resource gets its
// version and keeps another kind, which its validation refuses (crd/definition.h). Fails with the API server's
// text, which is no Status, if a built-in object is of another kind.
Patched written_back(Arena& arena, const KindSchema& kind, const Value& object);

// Whether an API server that writes an object of this version back leaves parts of the object of the request as they are.
bool keeps_former(const KindSchema& kind);
// `object`, which mutations made of `former`, both at the version of `kind`, with these parts: before written_back(), which
// may be at another version.
Value over_former(Arena& arena, const KindSchema& kind, const Value& object, const Value& former);

}  // namespace portcullis::patching
