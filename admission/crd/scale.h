// The subresource scale of a custom resource: the members that hold replicas and the selector, and the Scale made of
// them.
//
// Source of behaviour: apiextensions-apiserver pkg/registry/customresource/etcd.go (scaleFromCustomResource,
// scaleUpdatedObjectInfo), validator.go (ValidateScaleSpec, ValidateScaleStatus), apimachinery
// pkg/apis/meta/v1/unstructured/helpers.go. Tested by admission/crd/definition_test.cc, tests/custom_resources.cc.
#pragma once

#include <cstdint>
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

// Adds the errors of the members in the spec, and of those in the status, of `object`. A member that is absent has
// none.
void check_scale_spec(const Value& object, const Scale& scale, FieldErrors& errors);
void check_scale_status(const Value& object, const Scale& scale, FieldErrors& errors);

// The Scale (autoscaling/v1) that shows `object`, a resource as it is stored.
Value scale_of(Arena& arena, const Value& object, const Scale& scale);
// `object` with this number of replicas in its spec.
Value with_replicas(Arena& arena, const Value& object, const Scale& scale, int64_t replicas);

}  // namespace portcullis::crd
