// What comes of one mutation of an object.
//
// Idea: an error is one of two kinds, as the API server has them. Most are errors of the policy, which its
// failurePolicy may ignore; a StatusError is the answer to the whole request, whatever the failurePolicy says.
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating/dispatcher.go.
// Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <initializer_list>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::patching {

struct Patched {
  // The object after the mutation, in the arena; it shares what did not change with the object before. Null
  // with an error.
  Value object;
  // An operation `test` failed: nothing was done, `object` is the object before.
  bool skipped = false;
  std::string_view error;  // empty: it worked. Else the API server's text, in the arena or a constant
  // Of a StatusError, else 0 and empty: `error` is then the message of a Status with this code and reason,
  // and `cause`, unless it is empty, that of the one entry of details.causes.
  int code = 0;
  std::string_view reason, cause;

  bool ok() const { return error.empty(); }
  bool is_status() const { return code != 0; }
};

// The error of a policy: the parts one after the other, copied to the arena.
Patched refused(Arena& arena, std::initializer_list<std::string_view> parts);
// errors.NewInternalError: 500 "Internal error occurred: " + `cause`, which is copied.
Patched internal_error(Arena& arena, std::string_view cause);
// errors.NewServiceUnavailable: 503; `message` is copied.
Patched unavailable(Arena& arena, std::string_view message);

}  // namespace portcullis::patching
