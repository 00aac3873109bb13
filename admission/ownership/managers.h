// The entries of metadata.managedFields: who set which fields, and what a request makes of them.
//
// Idea: plain lists come in and go out; between, an entry's fields are a FieldSet. What differs from kind to
// kind (versions, fields that the registry resets) is asked of a Versions.
// Limits: requests are creates and updates (PUT, or a patch whose result is known), not server-side apply.
// Source of behaviour: apimachinery pkg/util/managedfields, structured-merge-diff merge. Judge:
// tests/decoded.cc.
// Tested by admission/ownership/managers_test.cc.
#pragma once

#include <optional>
#include <string_view>

#include "admission/ownership/compare.h"

namespace portcullis::ownership {

// An object at one version, as plain data, and its type.
struct Versioned {
  Value object;
  const MergeType* type = nullptr;
};

// What a kind knows of its versions.
class Versions {
 public:
  // `object` at `api_version`; nothing if there is no such version.
  virtual std::optional<Versioned> at(Arena& arena, const Value& object,
                                      std::string_view api_version) const = 0;
  // `set`, of a comparison at `api_version`, without what the registry resets in such requests.
  virtual FieldSet without_reset(Arena& arena, const FieldSet& set, std::string_view api_version) const = 0;

 protected:
  ~Versions() = default;
};

// Who sends a request, and when.
struct Manager {
  std::string_view name;         // of the query, or else of the user agent; empty: "unknown"
  std::string_view api_version;  // of the request's object
  std::string_view subresource;
  std::string_view now;  // RFC 3339, whole seconds
};

// The objects of a request. The lists are their metadata.managedFields; an absent one is null.
struct Change {
  Value before,
      after;  // what was stored (an empty object, if nothing was) and what is to be, at the request's version
  Value before_list, after_list;
  bool creates = false;
};

// The new list, of maps that hold the fields of a ManagedFieldsEntry; null if there is none.
Value manage_fields(Arena& arena, const Manager& manager, const Change& change, const Versions& versions);

}  // namespace portcullis::ownership
