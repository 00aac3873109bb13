// The table of plain defaults: {structs, field, value, condition}. Defaults that depend on more stand in
// default_rules.cc.
#pragma once

#include <span>
#include <string_view>

#include "admission/builtin/object.h"
#include "admission/builtin/time.h"

namespace portcullis::builtin {

struct DefaultRow {
  std::string_view structs;  // "apps/v1,v1beta2.Deployment": group, versions, struct
  std::string_view field;    // "spec.replicas"; the structs on the way are plain ones or present
  std::string_view value;    // JSON; set where the field is absent or, for plain scalars, zero
  bool (*when)(Object& object) = nullptr;
};
// In the order in which they are applied.
std::span<const DefaultRow> default_rows();

// What a rule works with: memory, and the time of the request (RFC 3339, UTC; empty: the
// clock's, if a rule asks).
struct Defaulting {
  Arena& arena;
  std::string_view now;
  std::string_view time() const { return now.empty() ? time_now(arena) : now; }
};

// Defaults that depend on more than one field: applied to the struct before the rows.
struct DefaultRule {
  std::string_view structs;
  void (*apply)(const Defaulting& with, Object& object);
};
std::span<const DefaultRule> default_rules();

}  // namespace portcullis::builtin
