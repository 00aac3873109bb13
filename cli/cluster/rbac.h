// RbacFiles: answers `authorizer` from the RBAC objects among the files, over those that every cluster has.
//
// Idea: objects are kept until something asks, so that a run without `authorizer` pays nothing. Then they are
// decoded and checked as the API server would; what it refuses is in no cluster, and is left out. What the
// answers rest on is said at the end, to those whose policies asked. Shared by `review` and `eval`.
// Limits: RBAC is the only authorizer (admission/authorization/rbac.h). Tested by tests/cli/rbac.txt.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "admission/authorization/rbac.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"

namespace portcullis {

class RbacFiles final : public Authorizer {
 public:
  // Takes an object in if it is of one of the kinds of RBAC; later ones take the place of earlier ones with
  // their name. It must outlive this, and be settled (namespaces.h) before something asks. `reviewed`: it is
  // a manifest, so what decoding finds is told elsewhere.
  void add(const InputObject& object, bool reviewed);
  bool empty() const { return objects_.empty(); }

  // Objects must be there. Thread-safe.
  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;

  // If something asked: what is wrong with the objects, and what the answers leave out.
  void say_grounds() const;

 private:
  struct Given {
    const InputObject* object;
    bool reviewed;
  };
  // What is said of an object.
  struct Remark {
    Severity severity;
    const InputObject* object;
    Position position;
    std::string text;
  };
  void make() const;
  bool take(const Given& given, std::vector<Value>& values) const;
  void remark(Severity severity, const InputObject& object, std::string_view field, std::string text) const;
  void look_for_roles() const;
  std::string meant_role(const InputObject& binding) const;

  std::vector<Given> objects_;
  mutable std::once_flag made_;
  mutable Arena arena_;
  mutable RbacAuthorizer rbac_;
  mutable std::vector<const InputObject*> bindings_;  // those that are taken
  mutable std::vector<Remark> remarks_;
  mutable std::atomic<bool> asked_ = false, asked_of_node_ = false;
};

}  // namespace portcullis
