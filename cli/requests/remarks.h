// What is known of a request beside what policies decide. Each remark is also printed, where it was found.
// Tested by tests/cli/refused.txt, tests/cli/object_metadata.txt, tests/cli/object_updates.txt.
#pragma once

#include <vector>

#include "cli/requests/request.h"

namespace portcullis {

// Whether a person wrote the object: it has no uid, as what is read from a server has.
bool is_written(const InputObject& object);

// Remarks that kubectl sends more than an API server reads, before it looks at the kind.
void remark_large_body(const Value& sent, Request& request);
// Remarks of each field that kubectl or the API server refuse it.
void remark_unknown_fields(const InputObject& object, const std::vector<builtin::UnknownField>& fields,
                           std::vector<Remark>& remarks);
// Remarks what the API server's validation refuses in the metadata of an object of a built-in kind, and which fields an
// update may not change. It comes after mutation and before validation by policies, but is no part of the verdict.
void remark_invalid(const Value& object, Request& request);
// Remarks that the API server refuses a new object for its resourceVersion. Its request is complete.
void remark_version_of_new(Request& request);
// Remarks that the audiences of a TokenRequest are unknown.
void remark_audiences(const InputObject& manifest, const Value& object, Request& request);

}  // namespace portcullis
