// Authorizer: who answers what expressions ask with `authorizer`.
//
// An Engine answers from the RBAC objects among its manifests, over the roles that every cluster has. An embedder that
// can ask a cluster, or knows better, derives from Authorizer and gives it to its Contexts (admission.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portcullis::v1 {

// Who asks. Views, which must outlive the review.
struct UserInfo {
  struct Extra {
    std::string_view key;
    std::span<const std::string_view> values;
  };
  std::string_view username, uid;
  std::span<const std::string_view> groups;
  std::span<const Extra> extra;
};

// What a check asks. Views live as long as the call.
struct AuthorizationCheck {
  std::string_view username, uid;
  std::span<const std::string_view> groups;
  std::string_view verb;
  bool resource_request = false;  // else `path` is asked for
  std::string_view group, version, resource, subresource, namespace_name, name;
  std::string_view path;
  std::string_view field_selector, label_selector;  // as the expression has them; empty: none
};

struct AuthorizationAnswer {
  enum class Decision : uint8_t { NoOpinion, Allow, Deny };
  Decision decision = Decision::NoOpinion;
  std::string reason = {};                // what reason() gives
  std::optional<std::string> error = {};  // what error() gives; then errored() is true
};

class Authorizer {
 public:
  virtual ~Authorizer();
  // Must be thread-safe if contexts of several threads have it, and must not throw.
  virtual AuthorizationAnswer authorize(const AuthorizationCheck& check) const = 0;
};

}  // namespace portcullis::v1
