// Who asks, by the options --as and --as-group.
//
// Idea: the user that the API server makes of kubectl's options of these names, with the groups that come
// with being impersonated, for one who may impersonate anybody. Source of behaviour: apiserver
// pkg/endpoints/filters/impersonation. Tested by manifests/impersonation_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/arena.h"

namespace portcullis {

// `name` empty: an administrator, of system:masters unless groups are given. In the arena, and refers to
// what is given.
UserInfo command_line_user(std::string_view name, std::span<const std::string> as_groups, Arena& arena);

}  // namespace portcullis
