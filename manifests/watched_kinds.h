// The kinds of objects that decisions come from, besides those of params: what a server that follows a cluster watches,
// and needs the right to. Tested by tests/server/watching.py and tests/server/manifests.py.
#pragma once

#include <cstdint>
#include <vector>

#include "manifests/resources.h"

namespace portcullis {

enum class WatchedFor : uint8_t { Policies, Namespaces, Definitions, Authorizer };
// In the version v1.
std::vector<Resource> watched_kinds(WatchedFor what);

}  // namespace portcullis
