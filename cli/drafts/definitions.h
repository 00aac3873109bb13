// Cases for a definition of custom resources: an object that it admits, and objects that its rules and its schema
// refuse.
//
// Idea: the smallest object of the schema is the start (smallest.h, which has its limits). One path at a time gets
// one of the values that the rules suggest, or that the schema does not let through, and the definition itself
// decides; a transition rule is tried with an update of what is admitted. Limits: kMostRounds, kMostTried,
// kMostBytes and kMostWork bound the search; only the version that is stored has cases; rules of a
// subresource status have none. Tested by tests/cli/test_definitions.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/reading/input.h"

namespace portcullis::drafts {

struct DefinitionCase {
  std::string name;
  std::string object, old;           // JSON; empty `old`: it is created
  std::vector<std::string> denials;  // the texts of the errors; empty: it is admitted
};

struct DefinitionCases {
  std::vector<DefinitionCase> cases;
  // What was not found, and why: its path in the definition, and a text.
  std::vector<std::pair<std::string, std::string>> missing;
};

DefinitionCases cases_of(const InputObject& definition);

}  // namespace portcullis::drafts
