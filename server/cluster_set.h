// Makes the set of policies of what files and a cluster have.
//
// Idea: the objects come in two halves, as Engine::load and Engine::exchange have them. Rules (policies, bindings,
// definitions) are compiled; the rest (params, namespaces, RBAC objects) is exchanged without compiling. What the
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
  // The set that was loaded last, with other data.
  std::shared_ptr<const v1::Engine> exchange(const std::vector<ClusterKind>& data, std::string& error);

  // The policies and other objects of the cluster that the API server would refuse today, and the first of them.
  size_t invalid() const { return invalid_; }
  const std::string& first_invalid() const { return first_invalid_; }

 private:
  std::string judge(const v1::LoadResult& loaded);
  v1::Manifests copy_of_files() const;
  void add(const std::vector<ClusterKind>& kinds, v1::Manifests& to) const;

  const Options& options_;
  Log& log_;
  PolicyFiles files_;
  std::set<std::string> file_names_;
  std::set<std::string> in_files_;                      // "GROUP KIND NAMESPACE/NAME" of their objects
  std::vector<std::string> file_data_;                  // JSON of those that are exchanged
  std::vector<v1::LoadOptions::ParamKind> file_kinds_;  // of objects in files
  std::shared_ptr<const v1::Engine> loaded_;
  std::set<std::string> told_;  // problems that the log has
  size_t invalid_ = 0;
  std::string first_invalid_;
};

}  // namespace portcullis::server
