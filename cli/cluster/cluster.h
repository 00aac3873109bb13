// What a review knows besides the manifest: policies and bindings, params, namespaces, kinds,
// found among the files.
//
// Idea: objects are sorted by kind, whichever option named their file. Policies and bindings are looked at as
// the API server would on create; what it refuses is said with its place, and then nothing is decided, unless
// the user asks for the rest. Shared by `review` and `check`. Tested by tests/cli.py.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "admission/admission.h"
#include "admission/expressions/environment.h"
#include "cli/cluster/namespace_labels.h"
#include "cli/cluster/policy_objects.h"
#include "cli/cluster/rbac.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "manifests/resources.h"

namespace portcullis {

// What an object is to a review.
enum class Role {
  Policy,       // ValidatingAdmissionPolicy, MutatingAdmissionPolicy
  Binding,      // and their bindings
  Unsupported,  // another kind of the admission group, which is not evaluated
  Namespace,
  Definition,  // CustomResourceDefinition
  Review,      // AdmissionReview
  Other,
};
Role role_of(const InputObject& object);
// Is it a MutatingAdmissionPolicy or a binding of one? Such a policy and a validating one may have one name.
bool is_mutating(const InputObject& object);
// Kinds of the admission group that stand in another one by mistake: they would decide nothing.
bool is_astray(const InputObject& object);

// A problem of a policy or binding, with its place.
struct PolicyProblem {
  const InputObject* object = nullptr;
  Severity severity = Severity::Error;
  std::string path;        // empty: of the whole object
  std::string text;        // the API server's words, if it has any
  Position position = {};  // in the file
  // What people are shown instead of `text`: each error of an expression at its place, without
  // cel-go's own display.
  struct Finding {
    Position position;
    std::string text;
    std::string hint;          // what may help
    bool false_alarm = false;  // the API server says it, and the policy runs all the same
  };
  std::vector<Finding> findings = {};
  std::string hint = {};
  bool of_set = false;  // of the files together: one more file may solve it
};
// Says a problem on standard error, or with `out` writes it there.
void say_problem(const PolicyProblem& problem, Severity severity, std::string* out = nullptr);

// An object that might be taken for a part of the verdict and is none.
struct NotEvaluated {
  const InputObject* object;
  std::string_view why;
};

class CustomResources;      // cli/cluster/crd.h
struct CompiledExpression;  // admission/expressions/expression.h

class ReviewCluster {
 public:
  // Takes all objects in; `policies` tells whether policies among them are to be loaded. They must outlive the
  // cluster, and are settled (namespaces.h) when all are in.
  enum class Use {
    Reviewed,
    Former,
    Other
  };  // requests, what is replaced by requests, what is only looked at
  void add(const std::vector<InputObject>& objects, bool policies, Use use = Use::Other);

  // Everything the API server would refuse or warn about, and bindings that name no policy. `version`: whose
  // expressions are allowed. `reviewing`: also sorts of policies that reviews do not evaluate.
  struct Told {  // is told what is looked at on the way; each may be empty
    std::function<void(const InputObject& object, const std::string& path,
                       const CompiledExpression& compiled)>
        expression;                                         // is compiled
    std::function<void(const InputObject& object)> object;  // its own problems are known
  };
  std::vector<PolicyProblem> problems(KubernetesVersion version, bool reviewing, const Told& told = {}) const;
  // Leaves out the policies and bindings with errors among `problems`.
  void drop(const std::vector<PolicyProblem>& problems);

  // Objects of built-in kinds are decoded: params are as a ValidatingAdmissionPolicy sees them (Cluster::typed_params).
  bool typed_params = false;
  // With it, params of custom kinds are what their definitions make of them. Outlives the cluster.
  const CustomResources* definitions = nullptr;

  // Policies and bindings as they are decoded; shared with a cluster of the same objects.
  PolicyObjects& objects() const { return *objects_; }
  void share_objects(const ReviewCluster& other) { objects_ = other.objects_; }

  // Labels of namespaces beside those of the files.
  NamespaceLabels namespace_labels;

  // Makes the engine. Namespaces that `wanted` names and nobody gave are made up, in `arena`, as empty ones
  // with the label that every namespace has; their names are returned in `assumed`. `bind_all`: policies
  // without binding get one. `custom_params`: kinds of params that exist beside those of the resources.
  Result<std::shared_ptr<const Engine>> load(const std::unordered_set<std::string_view>& wanted, Arena& arena,
                                             std::vector<std::string_view>& assumed,
                                             const std::vector<ParamKindInfo>& custom_params,
                                             bool bind_all = false) const;

  // Answers `authorizer` checks from the RBAC objects among those given.
  RbacFiles& authorizer() { return rbac_; }

  const Resources& resources() const { return resources_; }
  Resources& resources() { return resources_; }
  size_t policy_count() const { return policies_.size(); }
  // Whether a policy has the kind of `object` for its params.
  bool is_param_kind(const InputObject& object) const;
  // Could a policy see metadata.managedFields?
  bool sees_managed_fields() const;
  // Policies, bindings, what else is of the admission group, and what of it was given where it is not loaded.
  const std::vector<const InputObject*>& policies() const { return policies_; }
  const std::vector<const InputObject*>& bindings() const { return bindings_; }
  const std::vector<const InputObject*>& unsupported() const { return unsupported_; }
  const std::vector<const InputObject*>& unused() const { return unused_; }
  // Everything else, without AdmissionReviews; and of it what is only looked at, and former states.
  const std::vector<const InputObject*>& others() const { return others_; }
  const std::vector<const InputObject*>& held() const { return held_; }
  const std::vector<const InputObject*>& former() const { return former_; }
  // What the verdicts leave out: webhooks, other sorts of policies, and policies given where
  // they are not loaded.
  std::vector<NotEvaluated> not_evaluated() const;
  // The policy object of this name, or null.
  const InputObject* policy(std::string_view name, bool mutating = false) const;
  // The binding object of this name, or null.
  const InputObject* binding(std::string_view name, bool mutating = false) const;

 private:
  std::vector<const InputObject*> policies_, bindings_, unsupported_, namespaces_, others_;
  std::vector<const InputObject*> held_, former_;  // among the others
  std::vector<const InputObject*> undefining_;     // CustomResourceDefinitions that cannot be used
  std::vector<const InputObject*>
      unused_;  // of the admission group, among objects whose policies are not loaded
  std::shared_ptr<PolicyObjects> objects_ = std::make_shared<PolicyObjects>();
  RbacFiles rbac_;
  Resources resources_;
};

}  // namespace portcullis
