// Metadata of custom resources, and of resources embedded in them: decoded into ObjectMeta, which drops what
// it does not know, and validated as that of every other object. Source of behaviour: apiextensions-apiserver
// pkg/apiserver/schema/objectmeta, apiserver pkg/registry/rest (BeforeCreate, BeforeUpdate). Tested by
// tests/custom_resources.cc.
#pragma once

#include <string>
#include <vector>

#include "admission/crd/schema.h"
#include "admission/objects/field_error.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// `object` with all its metadata as ObjectMeta has it; `resource`: it is the root of a resource itself. Adds
// the paths of unknown fields to `unknown`. `error`: why it does not decode, then the result is of no use.
// Paths start at `path`, "" for the root.
Value coerce_metadata(Arena& arena, const Value& object, const Schema& schema,
                      std::vector<std::string>& unknown, std::string& error, const std::string& path = {},
                      bool resource = true);

// What is wrong with the metadata of a created or (with `old`) updated object, as coerced. What an update is
// asked of every kind of object comes into `common`; Kubernetes says the same things several times.
void check_metadata(const Value& object, const Value* old, bool namespaced, FieldErrors& common,
                    FieldErrors& errors);
// `object` with what the API server writes into metadata: the generation (1, or in an update that of `old`,
// and one more if something changed besides metadata); in an update also the uid and times of `old`.
Value complete_metadata(Arena& arena, const Value& object, const Value* old);
// What is wrong with the metadata of an embedded resource at `path`.
void check_embedded_metadata(const Value& resource, const std::string& path, FieldErrors& errors);
// What the API server warns of: finalizers that are not there in `old` and have no domain.
void warn_of_finalizers(const Value& object, const Value* old, std::vector<std::string>& warnings);

}  // namespace portcullis::crd
