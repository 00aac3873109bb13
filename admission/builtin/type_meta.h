// The apiVersion and kind of an object, read as the API server's codec reads them before it knows the type.
// Source of behaviour: apimachinery pkg/runtime/serializer/json (SimpleMetaFactory), pkg/runtime/error.go.
// Tested by admission/builtin/registration_test.cc, chain/answer_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::builtin {

struct TypeMeta {
  std::string_view api_version, kind;  // empty if absent or null
  std::string error;                   // of Go's decoder, if a member has a wrong type, else empty
};

// Field names match in any case, and the last one wins. `object` may be any value of JSON kinds, and keep
// members of the same name (repeated.h). The texts are views of it.
TypeMeta read_type_meta(const Value& object);

// The error of Kubernetes' scheme about a kind that it does not have.
std::string not_registered(std::string_view kind, std::string_view api_version);
// The name of the scheme in its errors, with quotes.
inline constexpr std::string_view kSchemeName = "\"pkg/runtime/scheme.go:111\"";

}  // namespace portcullis::builtin
