// Decoding: turns JSON data into an Object as the decoder of sigs.k8s.io/json does. Field names are
// case-sensitive, and the first error counts. Tested by admission/builtin/normalize_test.cc and against the
// oracle's mode `decode`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// A field that the struct does not have, or that occurs twice. The API server drops and reports it.
struct UnknownField {
  std::string path;  // "spec.template.spec.containers[0].imagee"
  std::string
      suggestion;  // the most similar field name; empty if none is similar, or after a hundred unknown fields
  bool repeated = false;  // the struct has the field, but an earlier member has the same name

  // The message of strict decoding: `unknown field "spec.imagee"`.
  std::string text() const;
};

class Surroundings;

// How far an object passes through the API server.
enum class Phase : uint8_t {
  Decoded,     // decoded, defaulted, to the internal version and back: mode `decode` of the batch protocol
  Mutating,    // also filled in as MutatingAdmissionPolicies see it (registry.h)
  Validating,  // also filled in as ValidatingAdmissionPolicies see it
};

// The user of the request, for the one kind that stores it.
struct Sender {
  std::string_view username = "kubernetes-admin", uid = {};
  std::span<const std::string_view> groups = {};
};

struct DecodeOptions {
  Phase phase = Phase::Decoded;
  // The namespace of the request, for phases after Decoded; empty for cluster-scoped kinds.
  std::string_view name_space = {};
  Sender sender = {};
  // The objects that admission plugins read, for phases after Decoded; null: none is known.
  const Surroundings* around = nullptr;
  // The JSON text of `data`, if JSON was the input: error texts and quantities show numbers as they were
  // spelt. If empty, numbers are spelt as Go prints a float64 (numbers from YAML pass through that type).
  std::string_view json = {};
  // `data` keeps members with the same name, in order (see with_repeated); else each name occurs once.
  bool repeated = false;
  // Whether structs, and lists and maps of texts, that decode to themselves may be passed through
  // (unchanged.h). Must be false with `repeated`, and where the result needs the members in the order of the
  // struct.
  bool may_stand = false;
  // Whether structs with the mark of a Go struct (interpreter/values/go_values.h) are passed through, too: they
  // are results of encode() for their place, and have the defaults that their own fields imply. Requires
  // `may_stand`.
  bool marked_stand = false;
  std::vector<UnknownField>* unknown = nullptr;  // collects unknown and repeated fields if not null
  // The same for those that the API server drops without reporting them, since strict decoding does not see them: below
  // `items`, `additionalProperties` and so on of the schemas of a CustomResourceDefinition.
  std::vector<UnknownField>* unseen = nullptr;
  std::vector<std::string>* warnings = nullptr;  // collects those of phases after Decoded if not null
  // The owner of fields in metadata.managedFields, for phases after Decoded: the field manager of the
  // request, by default the user agent up to the slash. If empty, the list stays as sent.
  std::string_view manager = {};
  std::string_view creator = {};      // manager of the stored object of an update; empty: `manager`
  std::string_view subresource = {};  // of the request
  // The time of the request (RFC 3339, UTC), for fields that default to it; empty: the present time.
  std::string_view now = {};
};

struct Decoded {
  Object* object = nullptr;
  std::string error;       // Go's error text for the first value of a wrong type, else empty
  std::string error_path;  // its field: "spec.containers[0].ports[1].containerPort", "metadata.labels[a.b/c]"
};

// The name of a non-null JSON value in Go's errors: "number".
std::string_view json_word(const Value& v);

// Decodes `data` into the struct `row`; null gives an empty struct. Texts of the result are views of `data`
// or live in the arena.
Decoded decode(Arena& arena, const StructRow& row, const Value& data, const DecodeOptions& options);

}  // namespace portcullis::builtin
