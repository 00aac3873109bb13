// Recognises documents that are no objects of a cluster: files of other tools that are stored among
// manifests.
//
// Idea: a manifest has apiVersion and kind. A document with neither is foreign, unless it has metadata and
// spec. A document with one of them is a broken manifest, unless the name of its file identifies a tool, or its content
// the index of a Helm repository. Some files of tools have both, in groups that no API server serves. Limits: a file
// of an unknown tool counts as a custom resource. Tested by tests/cli/files.txt.
#pragma once

#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// The sort of foreign document, for messages; empty if it may be meant as an object. `file`: the path of its
// file.
std::string_view foreign_to_cluster(const Value& document, std::string_view file);

}  // namespace portcullis
