// What the registry makes of an update: which members come from the stored object, whatever is sent.
//
// Idea: the strategies of the registry are a table with a row for each kind and subresource (the empty one is the
// object itself), and a function where a rule is no matter of members. managedFields follow the same table.
// Limits: rules that compare single fields of a kind are emulated only where a row has a function.
// Source of behaviour: PrepareForUpdate and GetResetFields in kubernetes pkg/registry, kube-aggregator and
// apiextensions-apiserver. Tested by tests/cli/subresource.txt; compared with Kubernetes by tests/decoded.cc.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Members that no manager owns in an update of the subresource, and those within them that are owned all the
// same: paths, separated by spaces; "*" is each item of a list.
struct Ownership {
  std::string_view disowned, owned;
};
Ownership ownership_of(const StructRow& row, std::string_view subresource);

// Sets the members of `object` that an update of `with.subresource` takes from `stored`, of the same kind. Writes
// nothing into `stored`.
void keep_stored(const Filling& with, Object& object, Object& stored);

// Whether two encoded members are equal for Kubernetes' Semantic.DeepEqual: an empty list or map is as good as none.
// Null stands for a missing member.
bool semantically_equal(const Value* a, const Value* b);

// The next word of `rest`, which loses it.
std::string_view next_word(std::string_view& rest);

}  // namespace portcullis::builtin
