// RuleAuthorizer: the rules of the batch protocol (`authz`) as an authorizer. Tested by batch/rule_authorizer_test.cc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "admission/authorization/authorizer.h"

namespace portcullis {

// The first rule that matches answers; if none does, the answer is "no opinion".
class RuleAuthorizer final : public Authorizer {
 public:
  // `rules`: a list of maps as in the protocol, or null. Its texts must outlive the authorizer.
  explicit RuleAuthorizer(const Value& rules);
  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;

 private:
  struct Rule {
    // Absent or "*" matches anything.
    std::optional<std::string_view> user, verb, group, version, resource, subresource, namespace_name, name,
        path, field_selector, label_selector;
    AuthorizationAnswer answer;
  };
  std::vector<Rule> rules_;
};

}  // namespace portcullis
