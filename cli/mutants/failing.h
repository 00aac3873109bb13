// Whether an expression can end in an error at all: if none of a policy can, its failurePolicy makes no difference.
//
// Idea: a list of what never fails on an object that the API server lets through; everything else may fail.
// Limits: it knows no guards, so has(a.b) && a.b counts as what may fail. Tested by cli/mutants/mutants_test.cc.
#pragma once

#include <string_view>

namespace portcullis {

// `has_object`: requests have an object, which a DELETE has not.
bool may_fail(std::string_view expression, bool has_object);

}  // namespace portcullis
