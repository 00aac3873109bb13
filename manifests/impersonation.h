// The user of requests, from the options --as and --as-group.
//
// Idea: the user that the API server derives from the kubectl options of these names, with the groups that
// impersonation adds, for a caller who may impersonate anyone. Source of behaviour: apiserver
// pkg/endpoints/filters/impersonation. Tested by manifests/impersonation_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/arena.h"

namespace portcullis {

// If `name` is empty, the user is an administrator, in system:masters unless groups are given. The result
// lives in the arena and refers to the arguments.
UserInfo command_line_user(std::string_view name, std::span<const std::string> as_groups, Arena& arena);

}  // namespace portcullis
