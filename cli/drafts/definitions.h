// Cases for a definition of custom resources: an object that it admits, and objects that its rules and its schema
// refuse.
//
// Idea: the smallest object of the schema is the start (smallest.h, which has its limits). One path at a time gets
// one of the values that the rules suggest, or that the schema does not let through, and the definition decides,
// with the policies beside it, which may change or deny the object; a transition rule is tried with an update of
// what is admitted, and so is everything where the policies deny whatever is created. Limits: kMostRounds,
// kMostTried, kMostBytes and kMostWork bound the search; only the version that is stored has cases; rules of a
// subresource status have none. Tested by tests/cli/test_definitions.txt.
#pragma once

#include <string>
#include <vector>

#include "manifests/object.h"

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

// What decides with the definition.
struct Beside {
  const std::vector<InputObject>& objects;  // of its file, with itself and with bindings for all policies
  std::vector<std::string> params;          // JSON of those that the file does not have
};

// `known`: objects (JSON) that may be admitted.
DefinitionCases cases_of(const InputObject& definition, const Beside& beside,
                         const std::vector<std::string>& known);

// What policies are tried with: the object of a version of the definition that is nearest to one that is admitted.
struct Example {
  std::string object;             // JSON; empty: the definition has no such version with a schema
  const Value* schema = nullptr;  // of the version
};
Example example_of(const InputObject& definition, const Beside& beside, const std::string& api_version);

}  // namespace portcullis::drafts
