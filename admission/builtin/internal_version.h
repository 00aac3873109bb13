// What conversion to the internal version and back changes in an object. Source of behaviour:
// kubernetes pkg/apis/*/v*/conversion.go. Tested by admission/builtin/normalize_test.cc.
#pragma once

#include <string>

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// Whether the way changes any object of this struct.
bool has_internal_changes(const StructRow& row);

// Converts `object` in place. Returns the error text of the API server, empty without error.
std::string pass_through_internal(Arena& arena, Object& object);

// Gives `object`, which mutations made of `before`, what conversion leaves in the internal object that it is written
// to: a policy that removes all annotations of a DaemonSet does not reset its template generation. Both are of one
// struct.
bool keeps_of_internal(const StructRow& row);
void keep_of_internal(Arena& arena, Object& object, Object& before);

}  // namespace portcullis::builtin
