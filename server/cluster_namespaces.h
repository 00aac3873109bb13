// Finds namespaces of the cluster that the watch does not know yet, with a GET, as the API server does in its own storage.
//
// Idea: `find` leaves a question for the thread of the cluster, which asks once for all who want the same name. What it
// finds is learned by the watch and put in the set before whoever asked is told. Limits: kMostFinds names at once.
// `find` is thread-safe, the rest belongs to that thread. Tested by tests/server/watching.py.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/cluster_requests.h"

namespace portcullis::server {

class ClusterNamespaces {
 public:
  using Done = std::function<void(std::string)>;

  // `watch`: of the namespaces. `exchange`: puts what the watch knows in the set in use.
  ClusterNamespaces(ClusterApi& api, WatchContext& context, KindWatch& watch, std::function<void()> exchange)
      : api_(api), context_(context), watch_(watch), exchange_(std::move(exchange)) {}

  // As of Namespaces.
  void find(const std::string& name, Done done);
  // Asks for what was wanted since.
  void ask();
  // Takes the answers that have arrived.
  void take();
  // Tells everybody that no answer comes, from now on.
  void end();

 private:
  struct Find {
    std::unique_ptr<Question> question;
    std::vector<Done> done;
  };
  std::string learn(const Question& answer);

  ClusterApi& api_;
  WatchContext& context_;
  KindWatch& watch_;
  const std::function<void()> exchange_;
  std::map<std::string, Find> finds_;
  std::mutex mutex_;  // of what follows
  std::vector<std::pair<std::string, Done>> asked_;
  bool ends_ = false;
};

}  // namespace portcullis::server
