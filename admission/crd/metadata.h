// Metadata of custom resources and of embedded resources: decoded into ObjectMeta, which drops unknown
// fields, and validated as for all other objects. Source of behaviour: apiextensions-apiserver
// pkg/apiserver/schema/objectmeta, apiserver pkg/registry/rest (BeforeCreate, BeforeUpdate). Tested by
// tests/custom_resources.cc.
#pragma once

#include <string>
#include <vector>

#include "admission/crd/schema.h"
#include "admission/objects/field_error.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// Why metadata does not decode.
struct MetadataError {
  std::string text;  // empty: it does
  std::string path;  // of the field

  bool empty() const { return text.empty(); }
};

// `object` with all its metadata decoded into ObjectMeta. `resource`: it is a resource itself. Appends the
// paths of unknown fields to `unknown`. Sets `error` if the metadata does not decode; the result is then
// invalid. Paths start with `path`, "" for the root.
Value coerce_metadata(Arena& arena, const Value& object, const Schema& schema,
                      std::vector<std::string>& unknown, MetadataError& error, const std::string& path = {},
                      bool resource = true);

// Why `metadata` of an object that decoded once, which mutations may have changed, is no ObjectMeta: the error of its
// conversion, in the order of ObjectMeta's fields but for times, which come last. Empty: it is one. Limit: on create,
// the API server says of metadata that is no map that system metadata was not initialized. Source of behaviour:
// apimachinery pkg/runtime/converter.go.
std::string conversion_error(Arena& arena, const Value& metadata);
// `object` as mutating policies see it: without duplicate owners, and a new one (`created`) without what only a
// server sets. Appends the server's warnings. `mutated`: they have seen it.
Value wipe_metadata(Arena& arena, const Value& object, bool created, bool mutated,
                    std::vector<std::string>& warnings);
// `object` with the metadata that the API server sets: the generation (1, or in an update that of `old`, plus
// one if anything but metadata changed), in an update uid and times of `old`, else a uid and the present time.
Value complete_metadata(Arena& arena, const Value& object, const Value* old);
// The errors of the metadata of an embedded resource at `path`.
void check_embedded_metadata(const Value& resource, const std::string& path, FieldErrors& errors);
// Warnings of the API server: new finalizers without a domain.
void warn_of_finalizers(const Value& object, const Value* old, std::vector<std::string>& warnings);

}  // namespace portcullis::crd
