// test --init: a first suite for a file of policies or definitions, from their own expressions: an object that passes,
// and one that fails each validation, or that mutating policies change and leave as it is, where they are found; and a
// param, if one is needed and the file has none. Tested by tests/cli/test_init.txt, tests/cli/test_definitions.txt.
#pragma once

#include <string>

namespace portcullis::drafts {

// Writes POLICY_test.yaml beside the file, unless it is there; says what it has, and what was not found. The exit
// status.
int draft(const std::string& file);

}  // namespace portcullis::drafts
