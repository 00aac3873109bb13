// Type errors that cannot occur when a policy runs.
//
// Idea: the API server's checker derives types from schemas, but a running policy sees objects as plain data.
// So a field without a type in the schema (a map of quantities) exists, a struct is a map, a list of structs
// is an ordinary list, and a date is a text. The checker's errors about these are known to be false; nothing
// is known about other errors.
// Limits: each error is judged by itself, even if the expression has others. Loop variables over lists of
// dates keep the type that the checker gives them. Tested by tests/cli/types.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "admission/crd/schema.h"
#include "grammar/ast.h"

namespace portcullis {

// A variable whose objects have a schema.
struct SchemaRoot {
  std::string_view type;  // the name of the object's type; names of its parts begin with it
  crd::SchemaPtr schema;  // null: unknown
};

// Why the error `message` at the checked node `node` cannot occur at run time; empty if unknown.
std::string why_false(std::string_view message, const Expr& node, std::span<const SchemaRoot> roots);

}  // namespace portcullis
