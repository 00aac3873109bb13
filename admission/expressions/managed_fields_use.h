// Whether a policy can see metadata.managedFields. A review computes it only then, since it costs several
// times as much as the rest of an object's normalisation.
//
// Idea: an expression sees it if it reads the field, or the whole of `object`, `oldObject` or their metadata.
// Anything but a plain path to other fields counts as seeing it. So does a JSONPatch{} whose `path` or `from` may lead
// to the field or to what holds it; of a path that is put together, the text at its beginning decides. Tested by
// admission/expressions/managed_fields_use_test.cc.
#pragma once

#include <string_view>

#include "grammar/shared_parses.h"
#include "interpreter/values/value.h"

namespace portcullis {

// `parses`: the shared parses of expressions.
bool expression_sees_managed_fields(std::string_view expression, SharedParses& parses);
// Whether any expression of a policy or webhook configuration does.
bool policy_sees_managed_fields(const Value& policy, SharedParses& parses);

}  // namespace portcullis
