// The apiVersion and kind of an object, read as the API server's codec reads them before it knows the type.
// Source of behaviour: apimachinery pkg/runtime/serializer/json (SimpleMetaFactory), pkg/runtime/error.go.
// Tested by admission/builtin/registration_test.cc, admission/patching/kind_test.cc, chain/answer_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis::builtin {

// What an object says of its kind; what it leaves out, or gives as null, is empty.
struct TypeMeta : GroupVersionKind {
  std::string error;  // if a member has a wrong type, or apiVersion too many parts; else empty
};

// Field names match in any case, and the last one wins. `object` may be any value of JSON kinds, and keep
// members of the same name (repeated.h). The texts are views of it.
TypeMeta read_type_meta(const Value& object);

// `said`, with the parts of `known` where it leaves them out (gvkWithDefaults).
GroupVersionKind kind_with_defaults(const GroupVersionKind& said, const GroupVersionKind& known);

// The error of an object, whose JSON is `text`, without "Kind" or "apiVersion".
std::string missing_member(std::string_view member, std::string_view text);
// The error of Kubernetes' scheme about a kind that it does not have.
std::string not_registered(std::string_view kind, std::string_view api_version);
// Its error about a kind that it does not convert to the version `to`, which is of another group.
std::string not_suitable(std::string_view version, std::string_view kind, std::string_view to);
// The error about versions or kinds between which it converts nothing.
std::string unknown_conversion(std::string_view version, std::string_view kind, std::string_view to_version,
                               std::string_view to_kind);
// The name of the scheme in its errors, with quotes.
inline constexpr std::string_view kSchemeName = "\"pkg/runtime/scheme.go:111\"";

}  // namespace portcullis::builtin
