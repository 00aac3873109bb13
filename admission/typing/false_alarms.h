// Mistakes of types that are none when a policy runs.
//
// Idea: the API server's checker has types that it makes of schemas, but objects are plain data when a policy runs.
// So a field of the schema that has no type (a map of quantities) is there, a struct is a map, a list of structs
// is a list as any other, and a date is a text. What the checker reports of these is known to be false; of
// everything else nothing is known.
// Limits: a mistake is looked at by itself, whether or not the expression has others; values in loops over lists
// of dates are taken for what the checker takes them for. Tested by tests/cli/types.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "admission/crd/schema.h"
#include "grammar/ast.h"

namespace portcullis {

// A variable with the schema of its objects.
struct SchemaRoot {
  std::string_view type;  // the name of the type of the whole object; those of its parts begin with it
  crd::SchemaPtr schema;  // null: not known
};

// Why the mistake `message` at `node`, a checked node, is none at run time; empty if that is not known.
std::string why_false(std::string_view message, const Expr& node, std::span<const SchemaRoot> roots);

}  // namespace portcullis
