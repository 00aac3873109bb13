// RbacFiles: answers `authorizer` from the RBAC objects among the files and those that every cluster has.
//
// Idea: objects are stored until the first check, so that a run without `authorizer` costs nothing. Then they
// are decoded and validated as the API server does; an object that it would refuse is in no cluster, and is
// ignored. At the end, the grounds of the answers are printed, if a policy asked. `review` and `eval` share
// this. Limits: RBAC is the only authorizer (admission/authorization/rbac.h). Tested by tests/cli/rbac.txt.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "admission/authorization/rbac.h"
#include "cli/cluster/object_use.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"

namespace portcullis {

class RbacFiles final : public Authorizer {
 public:
  // Adds an object of an RBAC kind; it replaces an earlier one with the same name, of its use or a lower one. It must
  // outlive this, and be settled (namespaces.h) before the first check. Decoding errors of manifests are reported
  // elsewhere.
  void add(const InputObject& object, ObjectUse use);
  // Whether a note says which manifests grant something that the cluster lacks.
  bool apart = false;
  bool empty() const { return objects_.empty(); }

  // All objects must have been added. Thread-safe.
  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;
  // Whether something allows it; no policy has asked. Thread-safe, too.
  bool may(const AuthorizationAttributes& asked, Arena& arena) const;

  // Answers the checks of one request after the other, on one thread: what a request creates is not there yet when it
  // is decided.
  class OfRequest final : public Authorizer {
   public:
    // `files` must outlive it.
    explicit OfRequest(const RbacFiles& files) : files_(files) {}
    // `created`: the manifest whose creation is decided from now on, of whatever kind; null: there is none.
    void begin(const InputObject* created);
    AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;
    // Whether a check of the request needed roles.
    bool asked() const { return asked_; }

   private:
    const RbacFiles& files_;
    const InputObject* created_ = nullptr;  // null: it is no RBAC object
    mutable bool asked_ = false;
  };

  // If a check was made: prints errors of the objects, and what the answers ignore.
  void say_grounds() const;

 private:
  struct Given {
    const InputObject* object;
    ObjectUse use;
  };
  using Identity = std::tuple<std::string_view, std::string_view, std::string_view>;
  static Identity identity(const InputObject& o) { return {o.kind, o.namespace_name, o.name}; }

  // A remark about an object.
  struct Remark {
    Severity severity;
    const InputObject* object;
    Position position;
    std::string text;
  };
  void make() const;
  bool take(const Given& given, Value& stored) const;
  void remark(Severity severity, const InputObject& object, std::string_view field, std::string text) const;
  void note_reviewed() const;
  void look_for_roles() const;
  std::string meant_role(const InputObject& binding) const;

  mutable std::vector<Given> objects_;  // make() puts them in order
  // What the manifests under review add to the cluster, as stored.
  mutable std::map<Identity, Value> created_;
  mutable std::mutex mattering_;         // about mattered_
  mutable std::set<Identity> mattered_;  // these would have changed an answer about their own creation
  mutable std::once_flag made_;
  mutable Arena arena_;
  mutable RbacAuthorizer rbac_;
  mutable std::vector<const InputObject*> bindings_;  // the accepted ones
  mutable std::vector<Remark> remarks_;
  mutable std::atomic<bool> asked_ = false, asked_of_node_ = false;
};

}  // namespace portcullis
