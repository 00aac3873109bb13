// See impersonation.h.
#include "manifests/impersonation.h"

#include <algorithm>
#include <vector>

#include "admission/scalars/names.h"

namespace portcullis {
namespace {

constexpr std::string_view kAccount = "system:serviceaccount:", kNode = "system:node:";

// The namespace in "system:serviceaccount:NAMESPACE:NAME"; empty for other users.
std::string_view account_space(std::string_view user) {
  if (!user.starts_with(kAccount)) return {};
  user.remove_prefix(kAccount.size());
  size_t colon = user.find(':');
  if (colon == user.npos) return {};
  std::string_view space = user.substr(0, colon), name = user.substr(colon + 1);
  bool fits = names::dns1123_label(space).empty() && names::dns1123_subdomain(name).empty();
  return fits ? space : std::string_view();
}

bool is_node(std::string_view user) {
  return user.starts_with(kNode) && names::dns1123_subdomain(user.substr(kNode.size())).empty();
}

}  // namespace

UserInfo command_line_user(std::string_view name, std::span<const std::string> as_groups, Arena& arena) {
  if (name.empty() && as_groups.empty()) return administrator();
  UserInfo user;
  user.username = name.empty() ? administrator().username : name;
  std::vector<std::string_view> groups(as_groups.begin(), as_groups.end());
  auto has = [&](std::string_view group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  };
  auto add = [&](std::string_view group) {
    if (!has(group)) groups.push_back(group);
  };
  std::string_view space = account_space(user.username);
  if (groups.empty() && is_node(user.username)) {
    add("system:nodes");
  } else if (groups.empty() && !space.empty()) {
    add("system:serviceaccounts");
    add(arena.copy("system:serviceaccounts:" + std::string(space)));
  }
  if (user.username == anonymous().username) {
    add("system:unauthenticated");
  } else if (!has("system:unauthenticated")) {
    add("system:authenticated");
  }
  std::string_view* list = arena.array<std::string_view>(groups.size());
  std::copy(groups.begin(), groups.end(), list);
  user.groups = {list, groups.size()};
  return user;
}

}  // namespace portcullis
