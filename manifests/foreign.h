// What is plainly no object of a cluster: files of other tools that lie among manifests.
//
// Idea: a manifest says its apiVersion and kind. What says neither is none, unless it has metadata and spec; what says
// one of both is a broken manifest, unless its file's name tells what it is. And some files of tools have both, and no API server serves them.
// Limit: a file of a tool that is not known here counts as a custom resource. Tested by tests/cli/files.txt.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// What a document is instead of an object of a cluster, for messages; empty if it may be meant as one.
// `file`: the path that it stands in.
std::string_view foreign_to_cluster(const Value& document, std::string_view file);

}  // namespace portcullis
