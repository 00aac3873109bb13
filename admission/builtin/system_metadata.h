// What the API server does with the metadata of every object, of built-in kinds and custom resources alike: it wipes
// and sets what only a server may say, and drops owners that are named twice. All of it works on plain data.
//
// Source of behaviour: apiserver pkg/registry/rest/meta.go, pkg/endpoints/handlers/rest.go. Tested by
// tests/cli/system_metadata.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/values/value.h"

namespace portcullis::builtin {

// The uid of a new object, where a server would choose one.
inline constexpr std::string_view kUid = "00000000-0000-4000-8000-000000000001";

// `metadata` of an object that is to be created, without what the server sets: it ignores what was sent.
Value without_system_fields(Arena& arena, const Value& metadata);
// `metadata` of a new object with the uid and the time of its creation.
Value with_system_fields(Arena& arena, const Value& metadata, std::string_view now);

// `owners` without those that are equal in all members to an earlier one; each item is an OwnerReference. If there
// are such, appends the server's warning to `warnings`, unless that is null. `mutated`: mutating admission is over.
Value distinct_owners(Arena& arena, const Value& owners, bool mutated, std::vector<std::string>* warnings);

}  // namespace portcullis::builtin
