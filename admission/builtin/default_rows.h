// The table of plain defaults: {structs, field, value, condition}. Defaults that depend on several fields are
// in default_rules.cc. Source of behaviour: kubernetes pkg/apis/*/v*/defaults.go. Tested by
// admission/builtin/normalize_test.cc.
#pragma once

#include <span>
#include <string_view>

#include "admission/builtin/object.h"
#include "admission/builtin/time.h"

namespace portcullis::builtin {

struct DefaultRow {
  std::string_view structs;  // "apps/v1,v1beta2.Deployment": group, versions, struct
  std::string_view field;    // "spec.replicas"; no struct on the path may be an absent pointer
  std::string_view value;    // JSON; the default if the field is absent or (plain scalars) zero
  bool (*when)(Object& object) = nullptr;
};
// The rows, in the order in which they apply.
std::span<const DefaultRow> default_rows();

// What a rule needs: memory, and the time of the request (RFC 3339, UTC; empty: a rule reads the clock).
struct Defaulting {
  Arena& arena;
  std::string_view now;
  std::string_view time() const { return now.empty() ? time_now(arena) : now; }
};

// A default that depends on several fields. It applies to the struct before the rows.
struct DefaultRule {
  std::string_view structs;
  void (*apply)(const Defaulting& with, Object& object);
};
std::span<const DefaultRule> default_rules();

}  // namespace portcullis::builtin
