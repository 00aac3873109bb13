// One connection of the webhook: TLS, requests one after the other, and their answers.
//
// Idea: a coroutine in a strand of its own. It drives Beast's parser itself, so that a request that comes too slowly
// gets an answer (408) like every other one that is refused. A decision is made by the thread that has read the
// request, with the answers and the memory (Handler) of that thread. A request counts as in flight from its last byte
// to its decision: slow clients hold a connection, never a place among those.
// Limits: what Beast's parser takes for a request; besides, HTTP/1.1 needs one Host, and the only transfer coding is
// "chunked". Tested by tests/server/run.py.
#pragma once

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>

#include "server/connections.h"
#include "server/handler.h"
#include "server/health.h"

namespace portcullis::server {

// How operations are awaited: an error comes back as the first part of a tuple.
inline constexpr auto kNoThrow = boost::asio::as_tuple(boost::asio::use_awaitable);

// What the connections share.
struct Traffic {
  explicit Traffic(Service& s) : service(s), options(s.options), health{s.policies, ends, s.cluster} {}
  Service& service;
  const Options& options;
  Connections connections;
  std::atomic<bool> ends = false;  // a signal came: answers close their connections
  std::atomic<size_t> in_flight = 0, pending_bytes = 0;
  Health health;
};

// Serves a connection in the strand of its socket, until it ends. `context`: the certificate in use.
void serve_session(Traffic& traffic, boost::asio::ip::tcp::socket socket,
                   std::shared_ptr<boost::asio::ssl::context> context);

// The Handler that this thread decides with; null when it does not serve any more.
void set_thread_handler(Handler* handler);

}  // namespace portcullis::server
