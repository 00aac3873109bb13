// HTTP/1.1 for the webhook (TLS) and for metrics and health (plain), with Boost.Beast.
//
// Idea: the threads of one io_context run the coroutines of all connections, and each thread has a Webhook, so a
// decision is made where its request was read, without a queue. session.h is a connection of the webhook; here is what
// they come from: listening, accepting, metrics and health, signals.
// A shutdown has three steps: from the signal on, the server is not ready and answers close their connections;
// after the delay nothing is accepted and idle connections are closed; what is in flight is answered.
// HTTP/1.1 alone: docs/server.md says what HTTP/2 would bring.
// Tested by tests/server/run.py.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "server/health.h"
#include "server/tls.h"
#include "server/webhook.h"

namespace portcullis::server {

class HttpServer {
 public:
  // All must outlive the server.
  HttpServer(Service& service, Certificates& certificates);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Listens at the addresses of the options. An error is the reason with the address; empty if there is none.
  std::string listen();
  // Calls `reload` on SIGHUP, in the thread of a connection.
  void on_hangup(std::function<void()> reload);
  // Serves until SIGTERM or SIGINT, and then until what is in flight is answered. False if something was not
  // answered within --shutdown-timeout, or a second signal came.
  bool run();

  struct State;  // for its connections

 private:
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::server
