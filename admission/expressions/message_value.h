// Which values of message expressions are messages, in policies and in rules of custom resources.
//
// Source of behaviour: apiserver pkg/admission/plugin/policy/validating/validator.go, apiextensions-apiserver
// pkg/apiserver/schema/cel/validation.go. Tested by tests/admission/evaluation, tests/cli/explain.txt,
// admission/crd/rules_test.cc.
#pragma once

#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// Why the value of a message expression cannot be the message ("gives more than one line"); empty if it can
// (trimmed). For an unusable value, the API server uses the message without the expression, and only logs the
// reason.
std::string_view unusable_message(const Value& value);

}  // namespace portcullis
