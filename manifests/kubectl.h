// What kubectl adds to its requests, and leaves out of what it prints. Tested by tests/cli/normalize.txt.
#pragma once

#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/arena.h"

namespace portcullis {

// The field manager of a request: `given`, or by default that of `kubectl create` or, for updates, `kubectl
// replace`.
std::string_view field_manager(std::string_view given, Operation operation);

// The options object of such a request, in the arena; it refers to `manager`, which may be empty. `dry_run`: nothing is
// stored (`dryRun: [All]`).
Value request_options(Operation operation, std::string_view manager, bool dry_run, Arena& arena);

// The object without metadata.managedFields. Lives in `arena`, with parts of `object`.
Value without_managed_fields(Arena& arena, const Value& object);

}  // namespace portcullis
