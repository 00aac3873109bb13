// Schemas of Kubernetes' own kinds, out of the table of their Go structs (builtin/types.h): one source of
// field names and types for decoding and for type checking.
//
// Idea: what the API server publishes of a kind is made from the same structs, so the schema follows from
// them: a Quantity has no single type and is not visible to CEL, times are date-times, []byte is format byte.
// A struct that contains itself ends there as an object without properties, as in Kubernetes.
// Limits: names and types only, no bounds. Tested by catalog_test.cc and tests/oracle/.
#pragma once

#include "admission/builtin/types.h"
#include "admission/crd/schema.h"

namespace portcullis {

// The schema of a struct, references resolved.
crd::SchemaPtr builtin_schema(const builtin::StructRow& structure);

}  // namespace portcullis
