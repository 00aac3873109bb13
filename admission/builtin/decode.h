// JSON data -> Object, as Go's decoder does it (sigs.k8s.io/json: names are case-sensitive, the first error
// is kept). Tested by admission/builtin/normalize_test.cc and against the oracle's mode `decode`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// A field that the struct does not have: dropped, as the API server does, and reported.
struct UnknownField {
  std::string path;        // "spec.template.spec.containers[0].imagee"
  std::string suggestion;  // the closest known name, or empty
  bool repeated = false;   // the struct has it, but it was given before

  // As strict decoding says it: `unknown field "spec.imagee"`.
  std::string text() const;
};

class Surroundings;

// How far an object goes on its way through the API server.
enum class Phase : uint8_t {
  Decoded,     // decoded, defaulted, to the internal version and back: mode `decode` of the batch protocol
  Mutating,    // and filled in as MutatingAdmissionPolicies see a new object (registry.h)
  Validating,  // and as ValidatingAdmissionPolicies do
};

// Who sent the request, for the one kind that records it.
struct Sender {
  std::string_view username = "kubernetes-admin", uid = {};
  std::span<const std::string_view> groups = {};
};

struct DecodeOptions {
  Phase phase = Phase::Decoded;
  // Of the request, for phases after Decoded; empty for cluster-scoped kinds.
  std::string_view name_space = {};
  Sender sender = {};
  // What admission plugins look at, for phases after Decoded; null: nothing is known.
  const Surroundings* around = nullptr;
  // The JSON text of `data`, if it was read from JSON: error texts and quantities need numbers as they were
  // spelt. Empty: they are spelt as Go prints a float64 (what comes from YAML passes through that).
  std::string_view json = {};
  // `data` keeps repeated members one after the other (see with_repeated); else each name stands once.
  bool repeated = false;
  // Structs, and lists and maps of texts, that decode to themselves may be passed through (unchanged.h). Not
  // with `repeated`, and not where the order of members is to be that of the struct.
  bool may_stand = false;
  std::vector<UnknownField>* unknown = nullptr;  // collects unknown and repeated fields if not null
  // Who metadata.managedFields says the fields are of, in phases after Decoded: the field manager of the
  // request, by default the user agent up to its slash. Empty: the list stays as it was sent.
  std::string_view manager = {};
  std::string_view creator = {};      // of the stored object of an update; empty: `manager`
  std::string_view subresource = {};  // of the request
  // Time of the request (RFC 3339, UTC), for the few fields that default to it; empty: the clock's.
  std::string_view now = {};
};

struct Decoded {
  Object* object = nullptr;
  std::string error;       // Go's text of the first value of a wrong type, else empty
  std::string error_path;  // where: "spec.containers[0].ports[1].containerPort"; empty without error
};

// What Go's errors call a JSON value that is not null: "number".
std::string_view json_word(const Value& v);

// Decodes `data` into the struct `row`; null is a struct without values. Texts of the result are views of `data` or live in the arena.
Decoded decode(Arena& arena, const StructRow& row, const Value& data, const DecodeOptions& options);

}  // namespace portcullis::builtin
