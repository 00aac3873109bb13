// What `mutated.changes` of a suite says: values by path, such as {spec.replicas: 3, metadata.labels[a/b]: x}. Tested by
// tests/cli/test.txt, tests/cli/test_errors.txt, tests/cli/test_update.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/objects/difference.h"
#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis::suites {

// `object` with `value` at `path`; null: without what is there. An error if the path means nothing in the object.
Result<Value> with_path(const Value& object, std::string_view path, const Value& value, Arena& arena);

// The differences as a suite says them, in JSON; empty where an element comes or goes within a list, so that the paths
// behind it mean others.
std::string changes_json(const std::vector<Difference>& differences);

}  // namespace portcullis::suites
