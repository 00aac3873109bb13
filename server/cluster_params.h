// The params in a cluster: the kinds that policies name as paramKind, found and watched.
//
// Idea: a kind is looked for in the API server's discovery, then listed and watched for as long as a policy names it.
// A kind that does not exist, or whose objects may not be read, is not waited for: policies with it fail, and it is
// looked for again, sooner after a definition has changed. A kind that was read once stays, as an informer of the API
// server does: if its definition goes, it has no objects. Source of behaviour: apiserver
// pkg/admission/plugin/policy/generic/policy_source.go. Limits: policies, bindings and definitions cannot be params.
// Belongs to the thread of ClusterPolicies. Tested by tests/server/watching.py.
#pragma once

#include <portcullis/admission.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/cluster_metrics.h"
#include "server/cluster_requests.h"
#include "server/log.h"

namespace portcullis::server {

class ClusterParams {
 public:
  using Time = KindWatch::Time;

  ClusterParams(ClusterApi& api, WatchContext& context, Log& log, ClusterMetrics& metrics)
      : api_(api), context_(context), log_(log), metrics_(metrics) {}

  // Watches these kinds (apiVersion and kind), and no others.
  void need(const std::set<std::pair<std::string, std::string>>& kinds, Time now);
  // Looks for what is not found yet. `definitions`: how often definitions have changed.
  void step(uint64_t definitions, Time now);

  void each(const std::function<void(Source&)>& call);
  size_t size() const { return kinds_.size(); }
  size_t unreadable() const;
  std::vector<v1::LoadOptions::ParamKind> readable() const;
  // The objects of those that can be read.
  std::vector<ClusterKind> objects() const;
  // The kind that is neither there nor given up yet; empty if there is none.
  std::string awaited() const;
  // Grows when a kind can be read, or no longer.
  uint64_t version() const { return version_; }
  // Grows when objects change.
  uint64_t changes() const;
  // "; params of KIND cannot be read: WHY" for each of them.
  std::string trouble() const;

 private:
  // A kind that policies name as paramKind.
  struct Kind {
    std::string api_version, kind;
    std::unique_ptr<Question> question;  // to discovery
    std::unique_ptr<Source> source;      // once it is found
    bool namespaced = true;
    bool given_up = false;  // it does not answer
    bool found = false;     // its objects have been read
    std::string missing;    // why its objects cannot be read; empty: they can, or that is not known yet
    Time wanted{}, due{};

    bool readable() const { return source != nullptr && source->watch.known() && missing.empty(); }
    bool settled() const { return readable() || !missing.empty() || given_up; }
    std::string name() const { return api_version + " " + kind; }
    std::string why() const { return missing.empty() ? "the cluster does not answer" : missing; }
  };

  void miss(Kind& kind, std::string why, Time now);
  void discover(Kind& kind, Time now);
  void take(Kind& kind, const Question& answer, Time now);
  void look_at(Kind& kind, Time now);

  ClusterApi& api_;
  WatchContext& context_;
  Log& log_;
  ClusterMetrics& metrics_;
  std::map<std::pair<std::string, std::string>, Kind> kinds_;
  uint64_t version_ = 0, definitions_ = 0;
  Time defined_{};  // when a definition changed last
};

}  // namespace portcullis::server
