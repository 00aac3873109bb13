// The members of suite files: one table, from which the check of what is written, the JSON schema for editors and the
// reference come.
//
// Idea: a mapping has the members of a table, and each member a shape. What is written is checked before it is read, so
// readers find what they expect. Tested by tests/cli/test.txt.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::suites {

// What the value of a member may be.
enum class Shape {
  Text,
  Flag,      // true or false
  Count,     // a whole number from 0
  Texts,     // a text or a list of texts
  Scopes,    // a mapping from texts to Cluster or Namespaced
  Webhooks,  // a directory, or answers by webhook
  Files,     // a file, some of its objects ({file: ...}), an object, or a list of these
  File,
  Pattern,      // a text, or {contains, glob, regex: TEXT}
  Patterns,     // one of these or a list
  Annotations,  // a mapping from texts to patterns or null
  Denials,      // true, a text, a mapping or a list
  Mutation,     // true, false, a file or a mapping
  Map,          // any mapping
  Calls,        // a text, a mapping, or a list
  Outcomes,     // a mapping from policies to pass, fail or skip
  Mutants,      // a mapping
  Accepted,     // a list of mutants
  Cases,
};

enum Where : unsigned { kInSuite = 1, kInCase = 2, kInBoth = 3 };

struct Member {
  std::string_view name;
  Shape shape;
  unsigned where;
  std::string_view about;
};

// The members of a suite and of a case.
std::span<const Member> members();

// Receives an error and the path of what is wrong; `key`: the name of the member is.
using Complain = std::function<void(const std::string& path, bool key, std::string text)>;

// Complains of members of `map` that are unknown there or have another shape. `of`: "a suite".
void check_members(const Value& map, std::span<const Member> table, unsigned where, const std::string& path,
                   std::string_view of, const Complain& complain);

// The JSON schema of suite files.
std::string schema();
// The table for people.
std::string reference();

}  // namespace portcullis::suites
