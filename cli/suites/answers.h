// What the webhooks of a suite answer: as the batch protocol has it (chain/replay.h), or shorter as `response`.
// Tested by tests/cli/test_webhooks.txt.
#pragma once

#include <vector>

#include "chain/replay.h"
#include "interpreter/values/value.h"

namespace portcullis::suites {

// The answers that a value of `webhooks` means: one, or a list of them. In place of `body` one may have `response`, that
// of an AdmissionReview of v1: `uid` and `allowed` are those that admit unless it says otherwise, and `patch` is the list
// of operations. An empty mapping admits.
Result<std::vector<chain::WrittenAnswer>> answers_of(const Value& value);

}  // namespace portcullis::suites
