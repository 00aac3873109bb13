// The line of the audit log for a decision: one JSON object.
//
// Idea: what somebody asks afterwards: who wanted what, what was decided, by which policies and which set of them. No
// objects of requests. Tested by tests/server/run.py.
#pragma once

#include <portcullis/admission.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace portcullis::server {

struct Audited {
  const v1::JsonAnswer& answer;
  std::string_view path;  // of the server
  uint64_t generation;    // of the set of policies
};

// Replaces `line`; it ends with a line break.
void write_audit_line(std::string& line, const Audited& audited);

}  // namespace portcullis::server
