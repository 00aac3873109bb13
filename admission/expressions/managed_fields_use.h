// Could a policy see metadata.managedFields? Only then a review makes it, since it costs several times what
// the rest of an object's normalisation does.
//
// Idea: an expression sees it that reads it, or `object` or `oldObject` as a whole, or their metadata as a
// whole. Whatever is not plainly a path of fields elsewhere counts as seeing.
// Tested by admission/expressions/managed_fields_use_test.cc.
#pragma once

#include <string_view>

#include "grammar/shared_parses.h"
#include "interpreter/values/value.h"

namespace portcullis {

// `parses`: of all who look at the text.
bool expression_sees_managed_fields(std::string_view expression, SharedParses& parses);
// Any expression of a policy of either sort.
bool policy_sees_managed_fields(const Value& policy, SharedParses& parses);

}  // namespace portcullis
