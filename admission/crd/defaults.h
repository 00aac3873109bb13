// The API server's first steps with a custom resource: it drops fields that the schema lacks (pruning) and
// nulls that are not allowed, and sets defaults. The contents of metadata stay as they are. Source of
// behaviour: apiextensions-apiserver pkg/apiserver/schema/{pruning,defaulting}. Tested by
// admission/crd/definition_test.cc, and against Kubernetes' code by tests/oracle/custom_resources.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/crd/schema.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// Whether a field of a resource is "apiVersion", "kind" or "metadata", which no schema of a definition restricts.
bool is_meta(std::string_view name);
// `object` without fields that `schema` lacks. `resource`: it is a resource, whose apiVersion, kind and
// metadata stay. Appends the sorted paths of the dropped fields ("spec.x", "spec.list[0].y") to `unknown`.
Value prune(Arena& arena, const Value& object, const Schema& schema, std::vector<std::string>& unknown,
            bool resource = true);
// `data` without nulls, unless the schema has a default or is `nullable`.
Value drop_nulls(Arena& arena, const Value& data, const Schema* schema);
// `data` with the defaults of the schema. The result shares values with the schema.
Value fill_defaults(Arena& arena, const Value& data, const Schema* schema);

}  // namespace portcullis::crd
