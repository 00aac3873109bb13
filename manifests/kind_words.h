// What is said of a kind that a server does not have, or of which nothing is known.
//
// Idea: kubectl's words, for whoever sends such an object hears those, and what may help: where the kind is
// served now, or the kind that is spelt much like it. Tested by tests/cli/kinds.txt.
#pragma once

#include <string>

#include "manifests/resources.h"

namespace portcullis {

// no matches for kind "Deploymnt" in version "apps/v1"
std::string no_match(const Resource& r);

// What may help: "did you mean Deployment in apps/v1?"; empty if nothing is near.
std::string kind_hint(const Resource& r, const Resources& resources);

// The subresource that takes objects of this kind, which are not made by themselves: "pods/eviction", or "scale"
// if several resources have it; empty if none does.
std::string subresource_taking(const Resource& r, const Resources& resources);

// "example.com/v1 Team", as messages name a kind.
std::string kind_name(const Resource& r);

}  // namespace portcullis
