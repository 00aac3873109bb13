// Authorizer: answers the checks that expressions make with `authorizer`.
//
// Idea: an interface with one question, {attributes} -> {decision, reason, error}, so that an embedder can
// ask a cluster; rbac.h implements it with given objects.
// Source of behaviour: apiserver pkg/authorization/authorizer.
// Tested by admission/authorization/authorizer_test.cc, the conformance table `condition`, and against the
// oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis {

enum class AuthorizationDecision : uint8_t { NoOpinion, Allow, Deny };

// The attributes of one check. The views are valid during the call.
struct AuthorizationAttributes {
  const UserInfo* user = nullptr;
  std::string_view verb;
  bool resource_request = false;  // else a check of the URL path `path`
  std::string_view group, version, resource, subresource, namespace_name, name;
  std::string_view path;
  std::string_view field_selector, label_selector;  // as written in the expression; empty if absent
};

// The texts live in the arena that `authorize` was given, or as long as the authorizer.
struct AuthorizationAnswer {
  AuthorizationDecision decision = AuthorizationDecision::NoOpinion;
  std::string_view reason = {};
  std::optional<std::string_view> error = {};
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Must be thread-safe.
  virtual AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const = 0;
};

// Reads `userInfo` of a request: {username, uid, groups, extra}. Lists are made in the arena; texts refer to
// the value. Members of a wrong kind are ignored.
UserInfo read_user_info(const Value& json, Arena& arena);

// The canonical form of a selector in a check, with terms in byte order ("a!=b,c=d", "k in (a,b),!x"), in the
// arena; nothing if the text is no selector. Source of behaviour: apimachinery pkg/fields, pkg/labels.
std::optional<std::string_view> canonical_field_selector(Arena& arena, std::string_view text);
std::optional<std::string_view> canonical_label_selector(Arena& arena, std::string_view text);

}  // namespace portcullis
