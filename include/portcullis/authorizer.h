// Authorizer: answers the checks that expressions make with `authorizer`.
//
// By default an Engine answers from the RBAC objects among its manifests and the roles that every cluster
// has. An embedder that can ask a cluster derives from Authorizer and gives the object to its Contexts
// (admission.h).
// Tested by library/authorizer_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portcullis::v1 {

// The user who sends a request. All views must outlive the review.
// A user without username is system:anonymous, of system:unauthenticated, as a request without credentials is to the
// API server. Groups, uid or extra without a username are an error.
struct UserInfo {
  struct Extra {
    std::string_view key;
    std::span<const std::string_view> values;
  };
  std::string_view username = {}, uid = {};
  std::span<const std::string_view> groups = {};
  std::span<const Extra> extra = {};

  // kubernetes-admin of system:masters, who may do everything: the user of kubectl in a new cluster.
  static UserInfo administrator();
};

// The question of one check. Views are valid during the call.
struct AuthorizationCheck {
  std::string_view username, uid;
  std::span<const std::string_view> groups;
  std::span<const UserInfo::Extra> extra;
  std::string_view verb;
  bool resource_request = false;  // otherwise the check is for `path`
  std::string_view group, version, resource, subresource, namespace_name, name;
  std::string_view path;
  std::string_view field_selector, label_selector;  // as in the expression; empty: none
};

struct AuthorizationAnswer {
  enum class Decision : uint8_t { NoOpinion, Allow, Deny };
  Decision decision = Decision::NoOpinion;
  std::string reason = {};                // the result of reason()
  std::optional<std::string> error = {};  // the result of error(); if set, errored() is true
};

class Authorizer {
 public:
  virtual ~Authorizer();
  // Answers a check. Must throw nothing but std::bad_alloc, which fails the evaluation as Limits::max_memory (cel.h)
  // does. Must be thread-safe if contexts of several threads use it.
  virtual AuthorizationAnswer authorize(const AuthorizationCheck& check) const = 0;
};

}  // namespace portcullis::v1
