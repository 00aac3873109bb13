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

// The path that a JSON pointer means: "/metadata/labels/a~1b" is metadata.labels[a/b].
std::string path_of_pointer(std::string_view pointer);

// For a path whose last step has a slash, and dots that are taken for steps of their own: the same with that step in
// brackets, as far as `object` shows where it begins. Empty for other paths.
std::string with_brackets(const Value& object, std::string_view path);

// The differences as a suite says them, in JSON; empty where an element comes or goes within a list, so that the paths
// behind it mean others.
std::string changes_json(const std::vector<Difference>& differences);

}  // namespace portcullis::suites
