// What makes one value of another, as a JSON Patch (RFC 6902): for `normalize --diff -o json`.
//
// Idea: maps are compared by key, lists by index, so that the patch applies as it stands; `replace` and `remove` also
// say what was there, as `old`, which a program that applies patches passes over. Tested by tests/cli/normalize.txt.
#pragma once

#include <string>

#include "interpreter/values/value.h"

namespace portcullis {

// The list of operations, as JSON: [{"op":"add","path":"/spec/replicas","value":1}].
std::string changes_json(const Value& before, const Value& after);

}  // namespace portcullis
