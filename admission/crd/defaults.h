// What happens to a custom resource before anything looks at it: fields that its schema does not know are
// dropped, nulls that are not allowed too, and defaults are filled in.
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema/{pruning,defaulting}. The contents of
// metadata stay as they are. Tested by admission/crd/object_test.cc, and against the real code by
// tests/oracle/custom_resources.py.
#pragma once

#include <string>
#include <vector>

#include "admission/crd/schema.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// `object` without fields unknown to `schema`; `resource`: it is the root of one, whose apiVersion, kind and
// metadata stay. Paths of what is dropped ("spec.x", "spec.list[0].y") are added to `unknown`, sorted.
Value prune(Arena& arena, const Value& object, const Schema& schema, std::vector<std::string>& unknown,
            bool resource = true);
// `data` without nulls where the schema has neither a default nor `nullable`.
Value drop_nulls(Arena& arena, const Value& data, const Schema* schema);
// `data` with the defaults of the schema. Values of the schema become part of the result.
Value fill_defaults(Arena& arena, const Value& data, const Schema* schema);

}  // namespace portcullis::crd
