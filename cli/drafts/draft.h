// test --init: a first suite for a file of policies, from their own expressions: an object that passes, and one that
// fails each validation, where they are found. Tested by tests/cli/test_init.txt.
#pragma once

#include <string>

namespace portcullis::drafts {

// Writes POLICY_test.yaml beside the file, unless it is there; says what it has, and what was not found. The exit
// status.
int draft(const std::string& file);

}  // namespace portcullis::drafts
