// Messages about kinds that a server does not have or that are unknown.
//
// Idea: the messages are those of kubectl, and hints say where the kind is served now, or name a kind of
// similar spelling. Tested by tests/cli/kinds.txt.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/resources.h"

namespace portcullis {

// no matches for kind "Deploymnt" in version "apps/v1"
std::string no_match(const Resource& r);

// A hint: "did you mean Deployment in apps/v1?"; empty if there is none.
std::string kind_hint(const Resource& r, const Resources& resources);

// The subresource whose requests carry objects of this kind, which cannot be created by themselves:
// "pods/eviction", or "scale" if several resources have it; empty if there is none.
std::string subresource_taking(const Resource& r, const Resources& resources);

// "gone since Kubernetes 1.22"
std::string gone_since(uint32_t minor);

// "example.com/v1 Team", as messages name a kind.
std::string kind_name(const Resource& r);

}  // namespace portcullis
