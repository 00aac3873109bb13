// What the OpenAPI documents say of built-in kinds: how their fields are merged (MergeTypes out of the table of
// structs).
// Source of behaviour: the OpenAPI documents (generate_types.py) as kube-openapi pkg/schemaconv reads them.
// Tested by admission/builtin/managed_test.cc.
#pragma once

#include "admission/builtin/types.h"
#include "admission/ownership/merge_type.h"

namespace portcullis::builtin {

// The type of objects of this struct. All types are made once, then immutable.
const ownership::MergeType& merge_type(const StructRow& row);

// Whether the OpenAPI document of its group and version has a schema of this kind (a row of all_kinds()). Versions
// that the release does not serve have none, nor have kinds that only resources of other groups use: Scale, Eviction,
// TokenRequest.
bool is_published(const KindRow& kind);

}  // namespace portcullis::builtin
