// What requests are decided with: the cluster that parsed objects make, checked as the API server checks it, and the
// engine. Files are read once, elsewhere; many requests are decided, each with its own user, operation and old object.
//
// Idea: the steps are called in the order of the class, and each prints its messages (messages.h can collect them).
// The objects are copied, since they are settled into namespaces; their values are shared, so sessions on several
// threads may have the same ones. A session belongs to one thread until it is loaded; then several may decide with it.
// Requests can be made before load(), or afterwards by copies of a maker; note_requests() then says what is to be said
// of all. Tested by tests/cli.py.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/contradictions.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/param_scopes.h"
#include "cli/commands.h"
#include "cli/requests/request.h"
#include "cli/requests/rule_names.h"
#include "cli/session/namespace_use.h"
#include "cli/session/survey.h"

namespace portcullis {

// Parsed objects, by the option that names their files. The lists may share objects.
struct SessionObjects {
  std::vector<InputObject> policies, params, old, manifests;
  bool among_manifests = false;    // whether policies among the manifests are loaded
  bool apart = false;              // whether it is worth a note that manifests add to the cluster
  const Survey* survey = nullptr;  // if `manifests` has only what a survey keeps of them
};

class Session {
 public:
  // Of the options those about the cluster count; they and whatever the objects refer to must outlive the session.
  explicit Session(const ReviewOptions& options) : options_(options) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // False with a usage error if an option makes no sense.
  bool accept_options();
  // Adds all objects, once.
  void take(SessionObjects objects);
  // Reads the kinds in the files, and settles the namespaces of objects. False if an option makes no sense.
  bool know_kinds();
  // Treats policies as stored: those that the API server would refuse today still decide.
  void take_as_stored() { stored_ = true; }
  // Prints the problems of policies; false if nothing can be decided.
  bool check_policies();
  // After that: says which option decides without what has errors, if these keep everything from its verdict.
  void advise() const;
  // Makes requests with `settings`, whose texts must outlive the session; objects in `old` are former states.
  RequestMaker& add_maker(RequestSettings settings, std::span<const InputObject> old);
  // Makes the engine; false if it cannot. Says of the requests of all makers what note_requests() says, if there are any.
  bool load();
  // Says what the requests show: rules that may mean them and miss them, namespaces that are assumed, or that an option
  // names in vain.
  void note_requests(const RequestTally& requests) const;

  // The files of --old, without the word that names none.
  static std::vector<std::string> old_files(const ReviewOptions& options);
  // The settings that the options give.
  static RequestSettings settings_of(const ReviewOptions& options);

  const ReviewOptions& options() const { return options_; }
  const std::vector<InputObject>& old() const { return objects_.old; }
  const std::vector<InputObject>& manifests() const { return objects_.manifests; }
  ReviewCluster& cluster() { return cluster_; }
  const ReviewCluster& cluster() const { return cluster_; }
  const CustomResources& customs() const { return customs_; }
  const ParamScopes& scopes() const { return scopes_; }
  // The engine in which kinds in doubt are namespaced; null if no scope is in doubt.
  const std::shared_ptr<const Engine>& doubtful_engine() const { return doubtful_; }
  const Engine& engine() const { return *engine_; }
  // What the files do not settle and the verdict on a request may rest on, with the field that leads there: labels of
  // its namespace, params, its definition. `asked`, `validated`: see NamespaceUse::by().
  struct Assumption {
    std::string field, text;
  };
  std::vector<Assumption> assumptions(const AdmissionRequest& asked, const AdmissionRequest& validated) const;
  // Copies of objects that differ; after load().
  const Contradictions& contradictions() const { return *contradictions_; }
  // Objects that verdicts ignore.
  std::span<const NotEvaluated> left_out() const { return left_out_; }

 private:
  struct Maker {
    RequestSettings settings;
    RequestMaker requests;
    Maker(RequestSettings s, const Resources& resources, Arena& arena)
        : settings(std::move(s)), requests(settings, resources, arena) {}
  };
  bool say_nothing_to_decide(bool refused) const;
  void leave_out(const std::vector<PolicyProblem>& problems);
  void note_unused() const;
  void note_namespaces(const RequestTally& requests) const;
  void note_not_replaced(const RequestTally& requests) const;
  bool is_assumed(std::string_view space) const;
  void note_assumed(const RequestTally& requests) const;
  void note_unused_labels(const RequestTally& requests) const;
  std::shared_ptr<const Engine> load_with(bool doubtful_namespaced);

  const ReviewOptions& options_;
  KubernetesVersion version_;
  Arena arena_;
  SessionObjects objects_;
  std::vector<InputObject>* const all_[4] = {&objects_.policies, &objects_.params, &objects_.old,
                                             &objects_.manifests};
  ReviewCluster cluster_;
  ParamScopes scopes_;
  CustomResources customs_;
  std::vector<NotEvaluated> left_out_;
  std::deque<Maker> makers_;
  std::shared_ptr<builtin::Surroundings> around_;  // of all makers; null: there is none yet
  std::shared_ptr<const Engine> engine_;
  std::shared_ptr<const Engine> doubtful_;
  bool stored_ = false, refused_ = false;
  std::optional<Contradictions> contradictions_;
  NamespaceUse namespace_use_;
};

}  // namespace portcullis
