// See http_server.h.
#include "server/http_server.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace portcullis::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;
using boost::system::error_code;
using Body = http::basic_dynamic_body<beast::flat_buffer>;
using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;

constexpr auto kNoThrow = net::as_tuple(net::use_awaitable);

// A request that is read in pieces of at most this size, so that many of them share the limit fairly.
constexpr size_t kPiece = size_t{64} << 10;
// How long the end of a TLS connection may take: the peer may be gone.
constexpr std::chrono::seconds kGoodbye{2};
// How long a connection that was accepted just before the end may take for its only request.
constexpr std::chrono::seconds kGrace{1};
// After an error of the system (no file descriptors left) the next connection waits.
constexpr std::chrono::milliseconds kBreath{100};

// The connections, in the order in which they began to wait: for a handshake, a request or the rest of one.
class Connections {
 public:
  enum class Why { Room, Shutdown };
  // Asks a connection to close; called by any thread.
  using Close = std::function<void(Why)>;
  struct Entry {
    Close close;
    bool waits = true;
  };
  using Place = std::list<Entry>::iterator;

  // The place of a new connection. If there would be more than `most`, the one that has waited for longest is
  // closed; nothing if none waits.
  std::optional<Place> add(Close close, size_t most) {
    std::lock_guard lock(mutex_);
    if (waiting_.size() + answered_.size() >= most) {
      if (waiting_.empty()) return std::nullopt;
      waiting_.front().close(Why::Room);  // it leaves its place by itself, a moment later
      waiting_.splice(waiting_.end(), waiting_, waiting_.begin());
    }
    return waiting_.insert(waiting_.end(), Entry{std::move(close)});
  }
  void remove(Place place) {
    std::lock_guard lock(mutex_);
    (place->waits ? waiting_ : answered_).erase(place);
  }
  void set_waits(Place place, bool waits) {
    std::lock_guard lock(mutex_);
    auto& from = place->waits ? waiting_ : answered_;
    auto& to = waits ? waiting_ : answered_;
    place->waits = waits;
    to.splice(to.end(), from, place);
  }
  void close_all(Why why) {
    std::lock_guard lock(mutex_);
    for (Entry& e : waiting_) e.close(why);
  }
  size_t size() const {
    std::lock_guard lock(mutex_);
    return waiting_.size() + answered_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::list<Entry> waiting_, answered_;
};

// Bytes of bodies that are being read, taken from a limit that all share.
class Share {
 public:
  explicit Share(std::atomic<size_t>& all, size_t most) : all_(all), most_(most) {}
  ~Share() { all_ -= mine_; }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  // Takes what is missing up to `bytes`; false if there is not as much.
  bool grow_to(size_t bytes) {
    if (bytes <= mine_) return true;
    size_t more = bytes - mine_;
    mine_ = bytes;
    return (all_ += more) <= most_;
  }

 private:
  std::atomic<size_t>& all_;
  const size_t most_;
  size_t mine_ = 0;
};

// "HOST:PORT", ":PORT", "[HOST]:PORT".
bool split_address(const std::string& address, std::string& host, std::string& port) {
  size_t colon = address.rfind(':');
  if (colon == address.npos) return false;
  host = address.substr(0, colon);
  port = address.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return !port.empty() && port.find_first_not_of("0123456789") == port.npos;
}

// Lets the process open as many files as the system allows.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct HttpServer::State {
  Service& service;
  Certificates& certificates;
  const Options& options = service.options;
  const unsigned threads = options.threads > 0 ? options.threads
                                               : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<Webhook>> webhooks;  // one for each thread
  std::function<void()> reload = [] {};
  Connections connections;
  std::atomic<bool> ends = false;    // a signal came
  std::atomic<bool> closed = false;  // nothing is accepted any more
  std::atomic<bool> lost = false;    // something was not answered
  std::atomic<size_t> in_flight = 0, pending_bytes = 0, status_connections = 0;
  Health health{service.policies, ends};
  net::io_context context{static_cast<int>(threads)};
  std::vector<tcp::acceptor> webhook_doors, status_doors;
  net::signal_set signals{context, SIGTERM, SIGINT}, hangups{context, SIGHUP};

  State(Service& s, Certificates& c) : service(s), certificates(c) {}

  std::string open(const std::string& address, std::vector<tcp::acceptor>& doors);
  template <class Serve>
  net::awaitable<void> accept(tcp::acceptor& door, Serve serve);
  void serve_webhook(tcp::socket socket);
  void serve_status(tcp::socket socket);
  net::awaitable<void> talk_status(Plain stream);
  net::awaitable<void> end_on_signal();
  net::awaitable<void> reload_on_hangup();
  bool run();
};

namespace {

// The Webhook of this thread; set while the thread serves.
thread_local Webhook* this_webhook = nullptr;

http::response<http::string_body> response_of(const HttpAnswer& answer) {
  http::response<http::string_body> out;
  out.version(11);
  out.result(answer.status);
  out.set(http::field::content_type, beast::string_view(answer.type.data(), answer.type.size()));
  if (!answer.allow.empty())
    out.set(http::field::allow, beast::string_view(answer.allow.data(), answer.allow.size()));
  if (answer.retry) out.set(http::field::retry_after, "1");
  out.body() = answer.body;
  return out;
}

}  // namespace

// One connection of the webhook. Its coroutine keeps it alive; all but `request_close` runs in its strand.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(HttpServer::State& server, tcp::socket socket, std::shared_ptr<net::ssl::context> context)
      : server_(server),
        context_(std::move(context)),
        stream_(std::move(socket), *context_),
        buffer_(server.options.max_header + kPiece) {}

  auto executor() { return stream_.get_executor(); }
  void take(Connections::Place place) { place_ = place; }

  // Thread-safe.
  void request_close(Connections::Why why) {
    net::post(executor(), [self = shared_from_this(), why] {
      const bool room = why == Connections::Why::Room && !self->answers_;
      const bool fresh = !self->served_ && Clock::now() < self->begun_ + kGrace;
      if (!room && (!self->idle_ || fresh)) return;
      self->abrupt_ = room;
      beast::get_lowest_layer(self->stream_).cancel();
    });
  }

  // The whole life of the connection. `self` keeps it alive.
  net::awaitable<void> run([[maybe_unused]] std::shared_ptr<Session> self) {
    limit(server_.options.read_timeout);
    auto [error] = co_await stream_.async_handshake(net::ssl::stream_base::server, kNoThrow);
    if (error) server_.service.log.line(LogLevel::Debug, "a handshake failed", {{"error", error.message()}});
    if (!error) {
      while (co_await serve_one()) {
      }
      limit(kGoodbye);
      if (!abrupt_) co_await stream_.async_shutdown(kNoThrow);
    }
    beast::get_lowest_layer(stream_).close();
    server_.connections.remove(place_);
    server_.service.metrics.connections(-1);
  }

 private:
  using Parser = http::request_parser<Body>;

  void limit(std::chrono::steady_clock::duration time) {
    beast::get_lowest_layer(stream_).expires_after(time);
  }

  // Reads a request and answers it. False if the connection ends.
  net::awaitable<bool> serve_one() {
    if (buffer_.size() == 0) {  // else the next request came with the last one
      idle_ = true;
      limit(server_.options.idle_timeout);
      auto [error, size] = co_await stream_.async_read_some(buffer_.prepare(kPiece / 16), kNoThrow);
      idle_ = false;
      if (error) co_return false;
      buffer_.commit(size);
    }
    Parser parser;
    parser.header_limit(static_cast<uint32_t>(server_.options.max_header));
    parser.body_limit(server_.options.max_body);
    limit(server_.options.read_timeout);
    auto [error, size] = co_await http::async_read_header(stream_, buffer_, parser, kNoThrow);
    if (error) co_return co_await refuse_unreadable(error);
    const auto& head = parser.get();
    const HttpRequest request{view(head.method_string()), view(head.target()),
                              view(head[http::field::content_type])};
    const bool keep = head.keep_alive();
    if (head.method() == http::verb::get) {
      if (auto health = answer_health(request.target, server_.health))
        co_return co_await send(
            {.status = health->status, .type = "text/plain; charset=utf-8", .body = health->text},
            keep && parser.is_done());
    }
    if (auto refusal = this_webhook->refuse(request))
      co_return co_await send(*refusal, keep && parser.is_done());
    co_return co_await serve_review(parser, request, keep);
  }

  net::awaitable<bool> serve_review(Parser& parser, const HttpRequest& request, bool keep) {
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      http::response<http::empty_body> go_on{http::status::continue_, 11};
      auto [error, size] = co_await http::async_write(stream_, go_on, kNoThrow);
      if (error) co_return false;
    }
    Share share(server_.pending_bytes, server_.options.max_pending_bytes);
    limit(server_.options.read_timeout);
    while (!parser.is_done()) {
      auto [error, size] = co_await http::async_read_some(stream_, buffer_, parser, kNoThrow);
      if (error) co_return co_await refuse_unreadable(error);
      if (!share.grow_to(parser.get().body().size()))
        co_return co_await send(this_webhook->too_many(request, {}), false);
    }
    const Clock::time_point arrived = Clock::now();
    auto data = parser.get().body().data();
    const std::string_view body(static_cast<const char*>(data.data()), data.size());
    answers_ = true;
    server_.connections.set_waits(place_, false);
    const bool crowded = server_.in_flight++ >= server_.options.max_in_flight;
    server_.service.metrics.in_flight(1);
    HttpAnswer answer;
    if (crowded) {
      answer = this_webhook->too_many(request, body);
    } else {
      co_await net::post(executor(), net::use_awaitable);  // behind the requests that came before it
      answer = this_webhook->answer(request, body, arrived);
    }
    const bool stays = co_await send(answer, keep);
    server_.in_flight--;
    server_.service.metrics.in_flight(-1);
    server_.connections.set_waits(place_, true);
    answers_ = false;
    co_return stays;
  }

  // The answer to bytes that are no request; the connection ends with it.
  net::awaitable<bool> refuse_unreadable(error_code error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      co_return co_await send(
          refusal(431, "RequestHeaderFieldsTooLarge", "the header of the request is too large"), false);
    if (error == http::error::body_limit)
      co_return co_await send(refusal(413, "RequestEntityTooLarge", "the body of the request is too large"),
                              false);
    const bool malformed = error.category() == http::make_error_code(http::error::bad_method).category() &&
                           error != http::error::end_of_stream && error != http::error::partial_message;
    if (malformed)
      co_return co_await send(refusal(400, "BadRequest", "this is no HTTP request: " + error.message()),
                              false);
    co_return false;
  }
  static HttpAnswer refusal(unsigned status, std::string_view reason, std::string_view message) {
    return this_webhook->refuse_bytes(status, reason, message);
  }

  // False if the connection ends.
  net::awaitable<bool> send(const HttpAnswer& answer, bool keep) {
    auto response = response_of(answer);
    keep = keep && !server_.ends;
    response.keep_alive(keep);
    response.prepare_payload();
    limit(server_.options.read_timeout);
    auto [error, size] = co_await http::async_write(stream_, response, kNoThrow);
    served_ = true;
    co_return keep && !error;
  }

  HttpServer::State& server_;
  std::shared_ptr<net::ssl::context> context_;  // of the certificate that was current at its beginning
  Secure stream_;
  beast::flat_buffer buffer_;
  Connections::Place place_;
  const Clock::time_point begun_ = Clock::now();
  bool served_ = false;   // has had an answer
  bool idle_ = false;     // waits for the first byte of a request
  bool answers_ = false;  // has a complete request
  bool abrupt_ = false;   // made room for another, and does not wait for the client's goodbye
};

// --- listening ---

std::string HttpServer::State::open(const std::string& address, std::vector<tcp::acceptor>& doors) {
  std::string host, port;
  if (!split_address(address, host, port)) return address + ": want HOST:PORT or :PORT";
  error_code error;
  std::vector<tcp::endpoint> places;
  if (host.empty()) {
    // IPv6, which takes IPv4 as well, or IPv4 alone where there is no IPv6.
    const auto number = static_cast<uint16_t>(std::stoul(port.substr(0, 5)));
    places = {{tcp::v6(), number}, {tcp::v4(), number}};
  } else {
    tcp::resolver resolver(context);
    for (const auto& found : resolver.resolve(host, port, tcp::resolver::passive, error))
      places.push_back(found.endpoint());
    if (error) return address + ": " + error.message();
  }
  for (const tcp::endpoint& place : places) {
    tcp::acceptor door(context);
    if (door.open(place.protocol(), error); error) continue;
    door.set_option(net::socket_base::reuse_address(true), error);
    if (place.protocol() == tcp::v6()) door.set_option(net::ip::v6_only(!host.empty()), error);
    if (door.bind(place, error); error) continue;
    if (door.listen(net::socket_base::max_listen_connections, error); error) continue;
    service.log.line(LogLevel::Info, "listening",
                     {{"address", door.local_endpoint().address().to_string()},
                      {"port", static_cast<int64_t>(door.local_endpoint().port())},
                      {"serves", &doors == &webhook_doors ? "webhook" : "metrics"}});
    doors.push_back(std::move(door));
    if (host.empty()) break;
  }
  return doors.empty() ? address + ": " + error.message() : std::string();
}

template <class Serve>
net::awaitable<void> HttpServer::State::accept(tcp::acceptor& door, Serve serve) {
  while (!closed) {
    auto [error, socket] = co_await door.async_accept(net::make_strand(context), kNoThrow);
    if (closed) co_return;
    if (error) {
      service.log.line(LogLevel::Warning, "a connection cannot be accepted", {{"error", error.message()}});
      net::steady_timer timer(context, kBreath);
      co_await timer.async_wait(kNoThrow);
      continue;
    }
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    serve(std::move(socket));
  }
}

void HttpServer::State::serve_webhook(tcp::socket socket) {
  auto session = std::make_shared<Session>(*this, std::move(socket), certificates.current());
  auto place = connections.add(
      [weak = std::weak_ptr(session)](Connections::Why why) {
        if (auto s = weak.lock()) s->request_close(why);
      },
      options.max_connections);
  if (!place) return;  // the socket closes
  session->take(*place);
  service.metrics.connections(1);
  net::co_spawn(session->executor(), session->run(session), net::detached);
}

void HttpServer::State::serve_status(tcp::socket socket) {
  if (status_connections >= options.max_connections / 4 + 1) return;
  status_connections++;
  auto executor = socket.get_executor();
  net::co_spawn(executor, talk_status(Plain(std::move(socket))), net::detached);
}

net::awaitable<void> HttpServer::State::talk_status(Plain stream) {
  beast::flat_buffer buffer(options.max_header + kPiece);
  for (bool keep = true; keep && !closed;) {
    http::request_parser<http::empty_body> parser;
    parser.header_limit(static_cast<uint32_t>(options.max_header));
    stream.expires_after(options.read_timeout);
    auto [error, size] = co_await http::async_read(stream, buffer, parser, kNoThrow);
    if (error) break;
    const std::string_view target = view(parser.get().target());
    HttpAnswer answer{
        .status = 404, .type = "text/plain; charset=utf-8", .body = "there is nothing at this path\n"};
    std::string text;
    if (parser.get().method() != http::verb::get) {
      answer.status = 405;
      answer.allow = "GET";
      answer.body = "want GET\n";
    } else if (auto found = answer_health(target, health)) {
      text = std::move(found->text);
      answer.status = found->status;
      answer.body = text;
    } else if (target.substr(0, target.find('?')) == "/metrics") {
      text = service.metrics.text();
      answer = {.status = 200, .type = "text/plain; version=0.0.4; charset=utf-8", .body = text};
    }
    auto response = response_of(answer);
    keep = parser.get().keep_alive() && !ends;
    response.keep_alive(keep);
    response.prepare_payload();
    auto [failed, written] = co_await http::async_write(stream, response, kNoThrow);
    if (failed) break;
  }
  error_code ignored;
  stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
  status_connections--;
}

// --- the end ---

net::awaitable<void> HttpServer::State::end_on_signal() {
  auto [error, signal] = co_await signals.async_wait(kNoThrow);
  if (error) co_return;
  ends = true;
  service.log.line(LogLevel::Info, "shutting down",
                   {{"delaySeconds", static_cast<int64_t>(options.shutdown_delay.count())}});
  signals.async_wait([this](error_code failed, int) {
    if (failed) return;
    lost = lost || in_flight > 0;
    context.stop();
  });
  net::steady_timer timer(context, options.shutdown_delay);
  co_await timer.async_wait(kNoThrow);
  closed = true;
  for (auto* doors : {&webhook_doors, &status_doors}) {
    for (tcp::acceptor& door : *doors) {
      error_code ignored;
      door.close(ignored);
    }
  }
  const auto end = Clock::now() + options.shutdown_timeout;
  while (connections.size() > 0 && Clock::now() < end) {
    connections.close_all(Connections::Why::Shutdown);
    timer.expires_after(std::chrono::milliseconds(20));
    co_await timer.async_wait(kNoThrow);
  }
  lost = in_flight > 0;
  context.stop();
}

net::awaitable<void> HttpServer::State::reload_on_hangup() {
  for (;;) {
    auto [error, signal] = co_await hangups.async_wait(kNoThrow);
    if (error) co_return;
    reload();
  }
}

bool HttpServer::State::run() {
  for (tcp::acceptor& door : webhook_doors)
    net::co_spawn(context, accept(door, [this](tcp::socket s) { serve_webhook(std::move(s)); }),
                  net::detached);
  for (tcp::acceptor& door : status_doors)
    net::co_spawn(context, accept(door, [this](tcp::socket s) { serve_status(std::move(s)); }),
                  net::detached);
  net::co_spawn(context, end_on_signal(), net::detached);
  net::co_spawn(context, reload_on_hangup(), net::detached);
  for (unsigned i = 0; i < threads; i++) webhooks.push_back(std::make_unique<Webhook>(service));
  auto serve = [this](Webhook& mine) {
    this_webhook = &mine;
    context.run();
    this_webhook = nullptr;
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; i++) others.emplace_back(serve, std::ref(*webhooks[i]));
  serve(*webhooks[0]);
  for (std::thread& t : others) t.join();
  return !lost;
}

HttpServer::HttpServer(Service& service, Certificates& certificates) {
  raise_file_limit();
  state_ = std::make_unique<State>(service, certificates);
}
HttpServer::~HttpServer() = default;

std::string HttpServer::listen() {
  State& s = *state_;
  if (std::string error = s.open(s.options.listen, s.webhook_doors); !error.empty()) return error;
  return s.options.metrics_listen.empty() ? std::string() : s.open(s.options.metrics_listen, s.status_doors);
}
void HttpServer::on_hangup(std::function<void()> reload) { state_->reload = std::move(reload); }
bool HttpServer::run() { return state_->run(); }

}  // namespace portcullis::server
