// What kubectl adds to the requests that it makes of manifests. Tested by tests/cli/normalize.txt.
#pragma once

#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/arena.h"

namespace portcullis {

// The field manager of a request: `given`, or by default that of `kubectl create`, for updates of `kubectl replace`.
std::string_view field_manager(std::string_view given, Operation operation);

// The options object of such a request; `manager` may be empty. In the arena, with a view of `manager`.
Value request_options(Operation operation, std::string_view manager, Arena& arena);

}  // namespace portcullis
