// What is left of the way through the internal version and back: the few fields that conversions change.
// Source of behaviour: kubernetes pkg/apis/*/v*/conversion.go. Tested by admission/builtin/normalize_test.cc.
#pragma once

#include <string>

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// The error is the API server's text, empty if there is none.
std::string pass_through_internal(Arena& arena, Object& object);

}  // namespace portcullis::builtin
