// What kubectl adds to its requests, and leaves out of what it prints. Tested by tests/cli/normalize.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/arena.h"

namespace portcullis {

// The field manager of a request: `given`, or by default that of `kubectl create` or, for updates, `kubectl
// replace`.
std::string_view field_manager(std::string_view given, Operation operation);

// What a user of kubectl may say about a request.
struct ClientOptions {
  std::string_view field_manager = {};                 // empty: see field_manager()
  bool dry_run = false;                                // nothing is stored (`dryRun: [All]`)
  std::optional<int64_t> grace_period = std::nullopt;  // of a DELETE, in seconds
  std::string_view propagation = {};                   // of a DELETE: Orphan ...; empty: Background
};

// The propagationPolicy that `kubectl delete --cascade` sends for background, foreground or orphan; empty for others.
std::string_view propagation_of(std::string_view cascade);

// The options object of a request as `kubectl create`, `replace` and `delete` send it, in the arena; it refers to
// `given`. For subresources that none of them writes, it is that of other clients, which name no manager unless it is
// given.
Value request_options(Operation operation, std::string_view subresource, const ClientOptions& given,
                      Arena& arena);

// The bytes of a request that an API server reads. Source of behaviour: apiserver pkg/server/config.go.
inline constexpr size_t kMaxRequestBody = size_t{3} << 20;

// The bytes in which kubectl sends an object, if they are more than kMaxRequestBody; 0 if they are not.
size_t large_body(const Value& object);

// The object without metadata.managedFields. Lives in `arena`, with parts of `object`.
Value without_managed_fields(Arena& arena, const Value& object);

}  // namespace portcullis
