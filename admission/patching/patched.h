// Patched: the result of one mutation of an object.
//
// Idea: as in the API server, there are two kinds of error. Most are errors of the policy, which its
// failurePolicy may ignore. A StatusError is the answer to the whole request, regardless of failurePolicy.
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating/dispatcher.go.
// Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <initializer_list>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::patching {

struct Patched {
  // The object after the mutation, in the arena; it shares unchanged parts with the object before. Null with
  // an error.
  Value object;
  // A `test` operation failed: the patch had no effect, and `object` is the object before.
  bool skipped = false;
  std::string_view error;  // empty: success; else the API server's text, in the arena or a constant
  // For a StatusError, else 0 and empty: `error` is then the message of a Status with this code and reason,
  // and `cause`, if not empty, is the message of the only entry of details.causes.
  int code = 0;
  std::string_view reason, cause;

  bool ok() const { return error.empty(); }
  bool is_status() const { return code != 0; }
};

// An error of the policy: the concatenated parts, in the arena.
Patched refused(Arena& arena, std::initializer_list<std::string_view> parts);
// errors.NewInternalError: 500 "Internal error occurred: " + `cause`, which is copied.
Patched internal_error(Arena& arena, std::string_view cause);
// errors.NewServiceUnavailable: 503; `message` is copied.
Patched unavailable(Arena& arena, std::string_view message);

}  // namespace portcullis::patching
