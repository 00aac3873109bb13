// The objects of a request for a built-in kind, as the API server decodes them before policies see them.
// definitions.h does the same for custom resources. The command line and the library are its callers, so that both
// make the same of an object.
// Tested by tests/cli/normalize.txt, library/engine_test.cc.
#pragma once

#include <optional>
#include <string>

#include "admission/builtin/normalize.h"
#include "admission/objects/request.h"

namespace portcullis {

// An object that does not decode as its kind.
struct Undecodable {
  bool former;        // it is the one that the request replaces
  std::string text;   // what the API server answers, with code 400
  std::string why;    // the part of it that concerns the field
  std::string field;  // its path
};

// Decodes `object` and sets it in `a`, whose operation and subresource are known: as the object or, for a DELETE, as
// the old object. `old`: what an UPDATE replaces; null for other operations. With Phase::Mutating it is as mutating
// policies see it, and complete_object() must follow. Also sets the name, and what plugins need to look at it again.
// Values live in `arena`, with views into the objects.
std::optional<Undecodable> decode_objects(AdmissionRequest& a, const Value& object, const Value* old,
                                          const builtin::DecodeOptions& options, Arena& arena);

// Makes the object of `a`, which mutating policies have seen, that which validating policies see. The name that the
// request was sent with stays.
std::optional<Undecodable> complete_object(AdmissionRequest& a, const builtin::DecodeOptions& options,
                                           Arena& arena);

}  // namespace portcullis
