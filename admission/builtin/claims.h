// What the registry makes of the source of data of a PersistentVolumeClaim.
//
// Idea: dataSource and dataSourceRef are one reference, and a claim that has one of them gets the other. Limits: the
// stored claim stays as it is. Source of behaviour: kubernetes pkg/registry/core/persistentvolumeclaim/strategy.go and
// pkg/api/persistentvolumeclaim/util.go. Tested by tests/decoded.cc and tests/cli/updates.txt.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Fills in a claim that is created.
void fill_claim(const Filling& with, Object& claim);
// Fills in a claim that takes the place of `stored`, into which nothing is written.
void keep_claim(const Filling& with, Object& claim, Object& stored);

}  // namespace portcullis::builtin
