// The rules of a definition's schema, and values next to those that it lets through.
// Tested by tests/cli/test_definitions.txt.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/drafts/reads.h"
#include "interpreter/values/value.h"

namespace portcullis::drafts {

// A value that the schema does not let through; an empty one: it is left out.
struct Breach {
  std::string keyword;
  Path at;
  std::string json;
};

struct Rule {
  // In the definition: "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[0]".
  std::string path;
  size_t index = 0;
  Path at;  // of its self in objects
  std::string_view text;
  Reads reads;
};

// The path as people read it: "spec.items[].name", or "the object".
std::string dotted(const Path& path);

// The rules of a schema, and the values next to those that it lets through.
class SchemaWalk {
 public:
  std::vector<Rule> rules;
  std::vector<Breach> breaches;

  // `path`: of the schema in the definition; `at`: of its value in objects.
  void visit(const Value& schema, const std::string& path, const Path& at);

 private:
  void note(Breach breach);
  void note_bounds(const Value& schema, const Path& at);
};

}  // namespace portcullis::drafts
