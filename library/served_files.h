// The load of files that decide by themselves: portcullis-server does it, and `portcullis manifests` asks what it
// will say.
//
// Limits: what the files do not describe is unknown, above all the labels of namespaces. Tested by
// tests/server/files.py, tests/server/manifests.py.
#pragma once

#include <portcullis/admission.h>

#include <span>
#include <string>

namespace portcullis {

// The options of the server that say how its files are loaded.
struct ServedFilesOptions {
  std::span<const std::string> param_scopes;     // --params-scope KIND=SCOPE
  std::string_view unknown_namespaces = "auto";  // --unknown-namespaces: auto, assume, refuse
  bool stored = false;                           // --policies-as stored
};

// The engine, if no problem is an error, and the problems in words for users of these options.
v1::LoadResult load_served_files(const v1::Manifests& files, const ServedFilesOptions& options);

}  // namespace portcullis
