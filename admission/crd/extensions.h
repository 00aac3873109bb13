// What x-kubernetes-list-type and x-kubernetes-embedded-resource ask of a value: no duplicates in lists of type set
// and map, and resources that are some.
//
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema/{listtype,objectmeta}. Tested by
// admission/crd/definition_test.cc, tests/custom_resources.cc.
#pragma once

#include <string>

#include "admission/crd/schema.h"
#include "admission/objects/field_error.h"

namespace portcullis::crd {

// Add the errors of `value`, an object, to `errors`.
void check_list_types(const Value& value, const Schema& schema, FieldErrors& errors);
void check_embedded_resources(const Value& value, const Schema& schema, FieldErrors& errors);

// Appends a text that identifies the data as Go compares it. Comparing texts keeps long lists from taking quadratic
// time.
void append_identity(const Value& v, std::string& out);

}  // namespace portcullis::crd
