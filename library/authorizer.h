// Users and authorizers of the public face, as the rooms see them. Tested by library/authorizer_test.cc.
#pragma once

#include <portcullis/authorizer.h>

#include <vector>

#include "admission/authorization/authorizer.h"
#include "admission/objects/request.h"

namespace portcullis::v1 {

// Forwards checks to the embedder's authorizer.
class AskedAuthorizer final : public portcullis::Authorizer {
 public:
  const v1::Authorizer* target = nullptr;
  portcullis::AuthorizationAnswer authorize(const AuthorizationAttributes& asked,
                                            Arena& arena) const override;
};

// A user in the types of the rooms. `extra` keeps a part of it.
portcullis::UserInfo user_of(const UserInfo& user, std::vector<portcullis::UserInfo::Extra>& extra);

inline constexpr std::string_view kNameless = "the user has groups, uid or extra, but no username";
// Whether a user has groups, uid or extra, but no username.
bool is_nameless(const UserInfo& user);

}  // namespace portcullis::v1
