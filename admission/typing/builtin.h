// Schemas of Kubernetes' own kinds, made from the table of their Go structs (builtin/types.h). Decoding and
// type checking thus share one source of field names and types.
//
// Idea: the API server derives the published schema of a kind from the same structs. A Quantity has no single
// type, so CEL cannot see it; times are date-times; []byte has format byte. A struct that contains itself
// ends as an object without properties, as in Kubernetes. Limits: names and types only, no bounds. Tested by
// catalog_test.cc and tests/oracle/.
#pragma once

#include "admission/builtin/types.h"
#include "admission/crd/schema.h"

namespace portcullis {

// The schema of a struct, with references resolved.
crd::SchemaPtr builtin_schema(const builtin::StructRow& structure);

}  // namespace portcullis
