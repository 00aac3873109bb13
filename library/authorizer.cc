// See authorizer.h.
#include "library/authorizer.h"

namespace portcullis::v1 {
namespace {

using Said = AuthorizationAnswer::Decision;
static_assert(static_cast<int>(Said::Allow) == static_cast<int>(AuthorizationDecision::Allow) &&
              static_cast<int>(Said::Deny) == static_cast<int>(AuthorizationDecision::Deny));

std::span<const UserInfo::Extra> shown(std::span<const portcullis::UserInfo::Extra> extra, Arena& arena) {
  auto* out = arena.array<UserInfo::Extra>(extra.size());
  for (size_t i = 0; i < extra.size(); i++) new (&out[i]) UserInfo::Extra{extra[i].key, extra[i].values};
  return {out, extra.size()};
}

}  // namespace

Authorizer::~Authorizer() = default;

UserInfo UserInfo::administrator() {
  const portcullis::UserInfo user = portcullis::administrator();
  return {.username = user.username, .uid = {}, .groups = user.groups, .extra = {}};
}

bool is_nameless(const UserInfo& user) {
  return user.username.empty() && !(user.uid.empty() && user.groups.empty() && user.extra.empty());
}

portcullis::UserInfo user_of(const UserInfo& user, std::vector<portcullis::UserInfo::Extra>& extra) {
  if (user.username.empty()) return anonymous();
  extra.clear();
  for (const UserInfo::Extra& e : user.extra) extra.push_back({e.key, e.values});
  return {user.username, user.uid, user.groups, extra};
}

portcullis::AuthorizationAnswer AskedAuthorizer::authorize(const AuthorizationAttributes& asked,
                                                           Arena& arena) const {
  AuthorizationCheck check;
  if (asked.user != nullptr) {
    check.username = asked.user->username;
    check.uid = asked.user->uid;
    check.groups = asked.user->groups;
    check.extra = shown(asked.user->extra, arena);
  }
  check.verb = asked.verb;
  check.resource_request = asked.resource_request;
  check.group = asked.group;
  check.version = asked.version;
  check.resource = asked.resource;
  check.subresource = asked.subresource;
  check.namespace_name = asked.namespace_name;
  check.name = asked.name;
  check.path = asked.path;
  check.field_selector = asked.field_selector;
  check.label_selector = asked.label_selector;
  AuthorizationAnswer said = target->authorize(check);
  portcullis::AuthorizationAnswer out;
  out.decision = static_cast<AuthorizationDecision>(said.decision);
  out.reason = arena.copy(said.reason);
  if (said.error) out.error = arena.copy(*said.error);
  return out;
}

}  // namespace portcullis::v1
