// Type errors of policies for `check`: those of admission/typing, with positions in the file.
//
// Idea: each field has one problem, each position one finding; a mistake that several kinds share is reported
// once, with the kinds. Tested by tests/cli.py.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "admission/typing/typecheck.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// Adds the OpenAPI documents in `files` and the CustomResourceDefinitions among `objects` to `catalog`. If a
// file is unusable, prints the error and returns false. `objects` must outlive the catalog.
bool add_schemas(SchemaCatalog& catalog, std::span<const std::string> files,
                 std::span<const InputObject> objects);

// Adds what `report` says of a ValidatingAdmissionPolicy to `problems` as warnings, but for fields that have an
// error there already.
void add_type_problems(const InputObject& policy, const TypeReport& report,
                       std::vector<PolicyProblem>& problems);

}  // namespace portcullis
