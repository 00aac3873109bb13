// What a failed validation says: the result of its message expression, if that can be used.
//
// Source of behaviour: apiserver pkg/admission/plugin/policy/validating/validator.go. Tested by
// tests/admission/evaluation, tests/cli/explain.txt.
#pragma once

#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// Why the value of a message expression does not become the message ("gives more than one line"); empty if it
// does, trimmed. The API server then says what it would without the expression, and only logs why.
std::string_view unusable_message(const Value& value);

}  // namespace portcullis
