// Type errors of policies for `check`: those of admission/typing, with positions in the file.
//
// Idea: each field has one problem, each position one finding; a mistake that several kinds share is reported
// once, with the kinds. Tested by tests/cli.py.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/typing/typecheck.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// Adds the OpenAPI documents in `files` and the CustomResourceDefinitions among `objects` to `catalog`. If a
// file is unusable, prints the error and returns false. `objects` must outlive the catalog.
bool add_schemas(SchemaCatalog& catalog, std::span<const std::string> files,
                 std::span<const InputObject> objects);

// The fields of objects that have an error.
class WrongFields {
 public:
  explicit WrongFields(std::span<const PolicyProblem> problems);
  bool has(const InputObject& object, std::string_view path) const {
    return fields_.contains({&object, std::string(path)});
  }

 private:
  std::set<std::pair<const InputObject*, std::string>> fields_;
};

// Adds what `report` says of a ValidatingAdmissionPolicy to `problems` as warnings, but for fields that are wrong
// already.
void add_type_problems(const InputObject& policy, const TypeReport& report, const WrongFields& wrong,
                       std::vector<PolicyProblem>& problems);

}  // namespace portcullis
