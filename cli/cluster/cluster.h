// The cluster that a review assumes, from the files: policies and bindings, params, namespaces, kinds.
//
// Idea: objects are sorted by kind, regardless of the option that named their file. Policies and bindings are
// validated as the API server validates a create. An error is printed with its position, and then nothing is
// decided unless the user asks for it. `review` and `check` share this. Tested by tests/cli.py.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "admission/admission.h"
#include "admission/expressions/environment.h"
#include "cli/cluster/namespace_labels.h"
#include "cli/cluster/object_use.h"
#include "cli/cluster/policy_objects.h"
#include "cli/cluster/rbac.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "manifests/resources.h"
#include "manifests/roles.h"

namespace portcullis {

// A problem of a policy or binding, with its position.
struct PolicyProblem {
  const InputObject* object = nullptr;
  Severity severity = Severity::Error;
  std::string path;        // empty: the whole object
  std::string text;        // the API server's text, if it has one
  Position position = {};  // in the file
  // Shown to people in place of `text`: each error of an expression at its position, without cel-go's
  // display.
  struct Finding {
    Position position;
    std::string text;
    std::string hint;          // what may help
    bool false_alarm = false;  // the API server reports it, but it cannot occur at run time
    bool ours = false;         // the API server does not report it
  };
  std::vector<Finding> findings = {};
  std::string hint = {};
  bool of_set = false;  // about the files together: another file may solve it
  bool ours = false;    // the API server takes the object and does not report this
};
// Prints a problem on standard error.
void say_problem(const PolicyProblem& problem, Severity severity);
// The same as text, with the problem's own severity.
std::string problem_text(const PolicyProblem& problem, const Paint& paint);

// An object that may seem to affect the verdict, but does not.
struct NotEvaluated {
  const InputObject* object;
  std::string_view why;
};

// Whether the object decodes. One that does not is refused elsewhere, and no cluster has it. `typed`: else all do.
bool decodes(const InputObject& object, bool typed);

class CustomResources;      // cli/cluster/crd.h
struct CompiledExpression;  // admission/expressions/expression.h

class ReviewCluster : public GivenPolicies {
 public:
  // Adds all objects. `policies` says whether policies among them are loaded, `use` what the others are for.
  // They must outlive the cluster, and are settled (namespaces.h) after all are added.
  using Use = ObjectUse;
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
  // Removes the policies and bindings that have errors in `problems`.
  void drop(const std::vector<PolicyProblem>& problems);

  // Whether params are decoded into Go types, as a ValidatingAdmissionPolicy sees them
  // (Cluster::typed_params).
  bool typed_params = false;
  bool asks_webhooks = false;  // whether verdicts include those of webhooks
  // Whether the cluster is given apart from the manifests, so that what these add to it is worth a note.
  void set_apart(bool apart) { apart_ = rbac_.apart = apart; }
  bool apart() const { return apart_; }
  // Whether every namespace exists, even if load() is not asked for it: its requests are not known yet.
  bool assume_namespaces = false;
  // If set, definitions also prune and default params of custom kinds: those of definition_objects(). Must outlive the
  // cluster.
  const CustomResources* definitions = nullptr;

  // The libraries that the policies are loaded with; absent: all (environment.h, stored_environment).
  std::optional<KubernetesVersion> libraries;

  // Decoded policies and bindings, shared with another cluster of the same objects.
  PolicyObjects& objects() const { return *objects_; }
  void share_objects(const ReviewCluster& other) { objects_ = other.objects_; }

  // Labels of namespaces in addition to those in the files.
  NamespaceLabels namespace_labels;

  // Makes the engine. A namespace in `wanted` that is not given is created in `arena`, with only the label
  // that every namespace has; `assumed` receives its name. `bind_all`: policies without a binding get one.
  // `custom_params`: kinds of params in addition to those of the resources.
  Result<std::shared_ptr<const Engine>> load(const std::unordered_set<std::string_view>& wanted, Arena& arena,
                                             std::vector<std::string_view>& assumed,
                                             const std::vector<ParamKindInfo>& custom_params,
                                             bool bind_all = false) const;

  // Answers `authorizer` checks from the given RBAC objects.
  const RbacFiles& authorizer() const { return rbac_; }

  const Resources& resources() const { return resources_; }
  Resources& resources() { return resources_; }
  size_t policy_count() const { return policies().size(); }
  // Whether an expression of a policy or webhook may read metadata.managedFields.
  bool sees_managed_fields() const;
  // Policies and bindings among manifests whose policies are not loaded.
  const std::vector<const InputObject*>& unreviewed() const { return unreviewed_; }
  // Policies, bindings and configurations among objects that are only read; configurations among manifests, if webhooks are
  // asked. They are not loaded.
  const std::vector<const InputObject*>& unused() const { return unused_; }
  // Policies that drop() has removed.
  const std::vector<const InputObject*>& dropped() const { return dropped_; }
  // All other objects except AdmissionReviews; and of these, those that are only read, former states, and manifests.
  const std::vector<const InputObject*>& others() const { return others_; }
  const std::vector<const InputObject*>& held() const { return held_; }
  const std::vector<const InputObject*>& former() const { return former_; }
  const std::vector<const InputObject*>& reviewed() const { return reviewed_; }
  // The CustomResourceDefinitions that count, one of a resource (add_definition); resources() has them in this order.
  const std::vector<const InputObject*>& definition_objects() const { return definitions_; }
  // Whether a Namespace of this name is among the objects.
  bool has_namespace(std::string_view name) const;
  // Objects that verdicts ignore: webhooks, other sorts of policies, and policies that are not loaded.
  std::vector<NotEvaluated> not_evaluated() const;

 private:
  // The parts of load().
  void add_rules(PreparedObjects* prepared, bool bind_all, Arena& arena, ObjectsToLoad& out) const;
  void add_params(const std::vector<ParamKindInfo>& kinds, Arena& arena, ObjectsToLoad& out) const;
  void add_namespaces(const std::unordered_set<std::string_view>& wanted, Arena& arena,
                      std::vector<std::string_view>& assumed, ObjectsToLoad& out) const;

  std::vector<const InputObject*> others_, dropped_;
  // By name: of the last use, the last one (object_use.h).
  struct Given {
    const InputObject* object = nullptr;
    Use use = Use::Reviewed;
  };
  using ByName = std::unordered_map<std::string_view, Given>;
  // Decides whether the definition counts: of one resource the last copy does. Of several uses that of the cluster counts
  // before those under review, and these before their former state, since they may be of a version that a change adds. One
  // that a server refuses for its name, or for another scope or kind than before, counts only as a part of the cluster.
  void add_definition(const InputObject& object, Use use);

  ByName namespaces_;
  std::vector<const InputObject*> definitions_;  // that count
  struct Counting {
    size_t number;  // in definitions_
    Use use;
  };
  std::map<DefinedResource, Counting> counting_;
  std::vector<const InputObject*> held_, former_, reviewed_;  // subsets of the others
  std::vector<const InputObject*> undefining_;                // unusable CustomResourceDefinitions
  std::vector<const InputObject*> unreviewed_, unused_;       // see unreviewed(), unused()
  std::shared_ptr<PolicyObjects> objects_ = std::make_shared<PolicyObjects>();
  RbacFiles rbac_;
  bool apart_ = false;
  Resources resources_;
};

}  // namespace portcullis
