// HTTP/1.1 for the webhook (TLS) and for metrics and health (plain), with Boost.Beast.
//
// Idea: worker threads run the coroutines of all connections of the webhook, and each has a Handler, so a decision is
// made where its request was read, without a queue. session.h is such a connection. What must go on while all workers
// are busy has a thread of its own, the front: accepting, the port of metrics and health, deadlines, signals.
// A shutdown has three steps: from the signal on, the server is not ready and answers close their connections;
// after the delay nothing is accepted and idle connections are closed; what is in flight is answered.
// HTTP/1.1 alone: docs/server.md says what HTTP/2 would bring.
// Tested by tests/server/lifecycle.py.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/handler.h"
#include "server/tls.h"

namespace portcullis::server {

enum class Ending {
  Answered,    // everything in flight
  Unanswered,  // something was not
  Stuck        // nor do its threads end, so what they use must outlive them: the process can only _Exit
};

class HttpServer {
 public:
  // All must outlive the server.
  HttpServer(Service& service, Certificates& certificates);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Listens at the addresses of the options, and starts the workers. Returns why it cannot; empty if it can.
  std::string start();
  // Calls `reload` on SIGHUP, in the thread of `run`.
  void on_hangup(std::function<void()> reload);
  // Serves until SIGTERM or SIGINT, and then until what is in flight is answered, for --shutdown-timeout at most or
  // until a second signal.
  Ending run();

  struct State;  // for its connections

 private:
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::server
