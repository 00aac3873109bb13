// Authorizer: who answers the checks that expressions make with `authorizer`, and the values
// of those expressions.
//
// Idea: an interface with one question, {attributes} -> {decision, reason, error}, so that an embedder can
// ask a cluster. Two answers come with it: an explicit list of rules (below), and RBAC over given objects
// (rbac.h). Source of behaviour: apiserver pkg/authorization/authorizer, pkg/cel/library/authz.go.
// Tested by admission/authorization/authorizer_test.cc, the conformance table `condition`, and against the oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis {

enum class AuthorizationDecision : uint8_t { NoOpinion, Allow, Deny };

// What a check asks. Views live as long as the call.
struct AuthorizationAttributes {
  const UserInfo* user = nullptr;
  std::string_view verb;
  bool resource_request = false;  // else `path` is asked for
  std::string_view group, version, resource, subresource, namespace_name, name;
  std::string_view path;
  std::string_view field_selector, label_selector;  // as written in the expression; empty: none
};

// Texts live in the arena that the question came with, or as long as the authorizer.
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

// The rules of the batch protocol (`authz`): the first that matches answers; none: no opinion.
class RuleAuthorizer final : public Authorizer {
 public:
  // `rules`: a list of maps as in the protocol, or null. The texts of its values must outlive the authorizer.
  explicit RuleAuthorizer(const Value& rules);
  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;

 private:
  struct Rule {
    // Absent or "*": anything.
    std::optional<std::string_view> user, verb, group, version, resource, subresource, namespace_name, name,
        path, field_selector, label_selector;
    AuthorizationAnswer answer;
  };
  std::vector<Rule> rules_;
};

// `userInfo` of a request: {username, uid, groups, extra}. Lists are made in the arena, texts are the
// value's. Whatever is not of the right kind is left out.
UserInfo read_user_info(const Value& json, Arena& arena);

// The values of `authorizer` and `authorizer.requestResource`. They refer to `authorizer`
// and to all of `user`.
Value authorizer_value(Arena& arena, const Authorizer& authorizer, const UserInfo& user);
struct CheckedResource {
  std::string_view group, resource, subresource, namespace_name, name;
};
Value resource_check_value(Arena& arena, const Authorizer& authorizer, const UserInfo& user,
                           const CheckedResource& resource);

// The selectors of a check in canonical form, terms in byte order ("a!=b,c=d", "k in (a,b),!x"); nothing if
// the text is not a selector. In the arena. (apimachinery pkg/fields, pkg/labels)
std::optional<std::string_view> canonical_field_selector(Arena& arena, std::string_view text);
std::optional<std::string_view> canonical_label_selector(Arena& arena, std::string_view text);

}  // namespace portcullis
