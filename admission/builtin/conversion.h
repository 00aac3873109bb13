// Conversion between versions of a kind, on plain data: to the shape that all versions of the kind have in
// common, and from there.
//
// Idea: most versions differ in nothing but what their structs leave out, so that decoding into the other
// struct is all; the rest is told here: autoscaling/v1 with its annotations, events.k8s.io,
// resource.k8s.io/v1beta1. The common shape is v2 of an autoscaler, core/v1 of an event, v1 of a claim.
// Limits: versions that 1.37 serves. Source of behaviour: kubernetes pkg/apis/*/v*/conversion.go.
// Tested by admission/builtin/conversion_test.cc and tests/decoded.cc.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// `object` is normalised (or about to be printed) and of the struct `row`; the results live in the arena.
Value to_common(Arena& arena, const StructRow& row, const Value& object);
Value from_common(Arena& arena, const StructRow& row, const Value& object);

// Editing of plain maps. An absent member and a value that is no map are null.
Value member(const Value& map, std::string_view name);
Value with_member(Arena& arena, const Value& map, std::string_view name, const Value& value);
Value without_member(Arena& arena, const Value& map, std::string_view name);

}  // namespace portcullis::builtin
