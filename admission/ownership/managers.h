// The entries of metadata.managedFields: who owns which fields, and how a request changes that.
//
// Idea: the input and output are plain lists; in between, the fields of an entry are a FieldSet. Versions
// provides what differs between kinds (conversion between versions, fields that the registry resets).
// Limits: a request is a create or an update (PUT, or a patch whose result is known), never a server-side
// apply.
// Source of behaviour: apimachinery pkg/util/managedfields, structured-merge-diff merge. Compared with
// Kubernetes by tests/decoded.cc.
// Tested by admission/ownership/managers_test.cc.
#pragma once

#include <optional>
#include <string_view>

#include "admission/ownership/compare.h"

namespace portcullis::ownership {

// An object at one version, as plain data, with its type.
struct Versioned {
  Value object;
  const MergeType* type = nullptr;
};

// The versions of a kind.
class Versions {
 public:
  // Converts `object` to `api_version`; nothing if there is no such version.
  virtual std::optional<Versioned> at(Arena& arena, const Value& object,
                                      std::string_view api_version) const = 0;
  // `set`, a comparison at `api_version`, without the fields that the registry resets in this request.
  virtual FieldSet without_reset(Arena& arena, const FieldSet& set, std::string_view api_version) const = 0;

 protected:
  ~Versions() = default;
};

// The sender of a request, and its time.
struct Manager {
  std::string_view name;         // fieldManager of the query, else from the user agent; empty: "unknown"
  std::string_view api_version;  // of the request's object
  std::string_view subresource;
  std::string_view now;  // RFC 3339, in whole seconds
};

// The objects of a request. The lists are their metadata.managedFields; null if absent.
struct Change {
  Value before,
      after;  // what was stored (an empty object, if nothing was) and what is to be, at the request's version
  Value before_list, after_list;
  bool creates = false;
};

// The new metadata.managedFields: a list of maps with the fields of ManagedFieldsEntry; null if it is empty.
Value manage_fields(Arena& arena, const Manager& manager, const Change& change, const Versions& versions);

}  // namespace portcullis::ownership
