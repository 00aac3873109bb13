// What came of suites, for people. Tested by tests/cli/test.txt.
#pragma once

#include <string>

#include "cli/messages/messages.h"
#include "cli/suites/all.h"

namespace portcullis::suites {

struct Tally {
  int passed = 0, failed = 0, skipped = 0, unusable = 0;
  void add(const SuiteResult& result);
  int all() const { return passed + failed + skipped + unusable; }
};

// A line for the suite, then the cases that did not pass: expected beside actual, and why. `quiet`: nothing of a suite
// whose cases all passed.
std::string text_of(const SuiteResult& result, bool quiet, const Paint& paint);
// The last line.
std::string summary(const Tally& tally);

}  // namespace portcullis::suites
