// The subresource scale of a custom resource: the members that hold replicas and the selector.
//
// Source of behaviour: apiextensions-apiserver pkg/registry/customresource/validator.go (ValidateScaleSpec,
// ValidateScaleStatus), apimachinery pkg/apis/meta/v1/unstructured/helpers.go. Tested by admission/crd/definition_test.cc,
// tests/custom_resources.cc.
#pragma once

#include <string>

#include "admission/objects/field_error.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// Paths as a definition writes them: ".spec.replicas". The selector's may be empty: there is none.
struct Scale {
  std::string spec_replicas, status_replicas, label_selector;
};

// `scale`: subresources.scale of a version.
Scale read_scale(const Value& scale);

// Adds the errors of the members in the spec, and of those in the status, of `object`. A member that is absent has none.
void check_scale_spec(const Value& object, const Scale& scale, FieldErrors& errors);
void check_scale_status(const Value& object, const Scale& scale, FieldErrors& errors);

}  // namespace portcullis::crd
