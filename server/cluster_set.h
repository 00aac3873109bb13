// Makes the set of policies of what files and a cluster have.
//
// Idea: the objects come in two halves, as Engine::load and Engine::change have them. Rules (policies, bindings,
// definitions) are compiled; the rest (params, namespaces, RBAC objects) is exchanged without compiling: only what has
// changed is read, so the cost does not depend on how much the cluster has. What the
// cluster has was let in by its API server, so it is taken as `--policies-as stored` takes it: a policy that does not
// load fails when a request meets it. Mistakes in files are errors of the whole set, as without a cluster. An object
// of a file takes the place of the cluster's object with the same name. Tested by tests/server/watching.py.
#pragma once

#include <portcullis/admission.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/file_policies.h"

namespace portcullis::server {

// The objects of one kind in the cluster: key (NAMESPACE/NAME) -> JSON.
struct ClusterKind {
  std::string api_version, kind;
  const std::map<std::string, std::string>* objects;
  const std::set<std::string>* changed;  // the keys of those that are not in the set in use as they are
};

// What policies and bindings want to see besides themselves.
struct Needs {
  std::set<std::pair<std::string, std::string>> params;  // apiVersion and kind
  bool authorizer = false;
};

class ClusterSet {
 public:
  ClusterSet(const Options& options, Log& log) : options_(options), log_(log) {}

  void set_files(PolicyFiles files);
  size_t files() const { return files_.all().size(); }

  // What the policies of the files and of `rules` need.
  Needs needs(const std::vector<ClusterKind>& rules) const;

  // Compiles everything. `params`: the kinds of params that can be read. Null after an error in a file; `error` says
  // which.
  std::shared_ptr<const v1::Engine> load(const std::vector<ClusterKind>& rules,
                                         const std::vector<ClusterKind>& data,
                                         std::vector<v1::LoadOptions::ParamKind> params, bool authorizer,
                                         std::string& error);
  // The set that was made last, with the data that has changed since.
  std::shared_ptr<const v1::Engine> change(const std::vector<ClusterKind>& data, std::string& error);

  // How many policies and other objects of the cluster the API server would refuse today, and what is wrong with one.
  size_t invalid() const { return invalid_.size(); }
  std::string first_invalid() const { return invalid_.empty() ? std::string() : invalid_.begin()->second; }

 private:
  std::string judge(const v1::LoadResult& made);
  v1::Manifests copy_of_files() const;
  void add(const std::vector<ClusterKind>& kinds, v1::Manifests& to) const;
  bool in_files(const ClusterKind& kind, const std::string& key) const;

  const Options& options_;
  Log& log_;
  PolicyFiles files_;
  std::set<std::string> file_names_;
  std::set<std::string> in_files_;                      // "GROUP KIND NAMESPACE/NAME" of their objects
  std::vector<v1::LoadOptions::ParamKind> file_kinds_;  // of objects in files
  std::shared_ptr<const v1::Engine> made_;
  std::set<std::string> told_;  // problems that the log has
  std::map<std::string, std::string>
      invalid_;  // names of objects of the cluster in `made_` -> what is wrong with them
};

}  // namespace portcullis::server
