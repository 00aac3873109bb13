// Asks the API server of a cluster, with libcurl.
//
// Idea: many requests at once in one thread (libcurl's multi interface); whoever calls `step` gets what has arrived.
// Each request has a connection of its own, or one that is free again: HTTP/1.1, so that a slow watch does not hold
// up others. Tokens and certificates of files are read for each request, since they are exchanged while the server
// runs. No redirection is followed, so credentials go to one server. Dead connections end by TCP's keep-alive, by
// silence, or by the time limit of the request. Tested by tests/server/watching.py.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "server/cluster_access.h"

namespace portcullis::server {

// Takes an answer. Calls come from `step`.
class Receiver {
 public:
  virtual ~Receiver() = default;
  // The status, with a part of the body; the first part is empty. False: the rest is not wanted.
  virtual bool data(int status, std::string_view part) = 0;
  // The other end has closed the connection, which was open until now. `ended` follows.
  virtual void closed() {}
  // The end. `error`: what went wrong with the network; status 0 if no answer came.
  virtual void ended(int status, std::string error, std::chrono::seconds retry_after) = 0;
};

class ClusterApi {
 public:
  struct Request {
    std::string target;  // path and query
    bool watch = false;
    std::chrono::seconds timeout{30};
  };

  explicit ClusterApi(const ClusterAccess& access);
  ~ClusterApi();
  ClusterApi(const ClusterApi&) = delete;
  ClusterApi& operator=(const ClusterApi&) = delete;

  // Sends a GET. `to` must live until its `ended`, or until `stop`.
  void get(const Request& request, Receiver& to);
  // Ends the requests of a receiver, which hears no more of them.
  void stop(Receiver& to);
  // Passes on what has arrived, and returns; if nothing has, waits for the network, but no longer than `at_most`.
  void step(std::chrono::milliseconds at_most);
  // Ends a wait in `step`. Thread-safe.
  void wake();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::server
