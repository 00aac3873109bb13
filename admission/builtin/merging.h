// How the fields of built-in kinds are merged: MergeTypes out of the table of structs.
// Source of behaviour: the OpenAPI documents (generate_types.py) as kube-openapi pkg/schemaconv reads them.
// Tested by admission/builtin/managed_test.cc.
#pragma once

#include "admission/builtin/types.h"
#include "admission/ownership/merge_type.h"

namespace portcullis::builtin {

// Of objects of this struct; made once, then only read.
const ownership::MergeType& merge_type(const StructRow& row);

}  // namespace portcullis::builtin
