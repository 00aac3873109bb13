// What kubectl adds to its requests, and leaves out of what it prints. Tested by tests/cli/normalize.txt.
#pragma once

#include <cstddef>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/arena.h"

namespace portcullis {

// The field manager of a request: `given`, or by default that of `kubectl create` or, for updates, `kubectl
// replace`.
std::string_view field_manager(std::string_view given, Operation operation);

// The options object of a request as `kubectl create`, `replace` and `delete` send it, in the arena; it refers to `given`.
// For subresources that none of them writes, it is that of other clients, which name no manager unless it is given.
// `dry_run`: nothing is stored (`dryRun: [All]`).
Value request_options(Operation operation, std::string_view subresource, std::string_view given, bool dry_run,
                      Arena& arena);

// The bytes of a request that an API server reads. Source of behaviour: apiserver pkg/server/config.go.
inline constexpr size_t kMaxRequestBody = size_t{3} << 20;

// The bytes in which kubectl sends an object, if they are more than kMaxRequestBody; 0 if they are not.
size_t large_body(const Value& object);

// The object without metadata.managedFields. Lives in `arena`, with parts of `object`.
Value without_managed_fields(Arena& arena, const Value& object);

}  // namespace portcullis
