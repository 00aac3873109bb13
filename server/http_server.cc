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
#include <list>
#include <semaphore>
#include <system_error>
#include <thread>
#include <vector>

#include "server/at_end.h"
#include "server/http_message.h"
#include "server/session.h"

namespace portcullis::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;
using boost::system::error_code;
using Plain = beast::tcp_stream;

// After an error of the system (no file descriptors left) the next connection waits.
constexpr std::chrono::milliseconds kBreath{100};
// How often connections are looked at whose time is over.
constexpr std::chrono::milliseconds kSweep{100};
// How long a worker may take for what it does when the server has ended.
constexpr std::chrono::milliseconds kWorkersEnd{200};
// The longest request to the port of metrics.
constexpr size_t kStatusHeader = size_t{16} << 10;

// "HOST:PORT", ":PORT", "[HOST]:PORT".
bool split_address(const std::string& address, std::string& host, std::string& port) {
  size_t colon = address.rfind(':');
  if (colon == address.npos) return false;
  host = address.substr(0, colon);
  port = address.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos &&
         std::stoul(port) <= 65535;
}

// Makes an acceptor listen. `both`: at an address of IPv6 for clients of IPv4, too.
error_code listen_at(tcp::acceptor& acceptor, const tcp::endpoint& place, bool both) {
  error_code error;
  if (acceptor.open(place.protocol(), error); error) return error;
  acceptor.set_option(net::socket_base::reuse_address(true), error);
  if (place.protocol() == tcp::v6()) acceptor.set_option(net::ip::v6_only(!both), error);
  if (acceptor.bind(place, error); error) return error;
  acceptor.listen(net::socket_base::max_listen_connections, error);
  return error;
}

// Whether this machine does not have the address, so that no client can reach it there.
bool is_absent(error_code error) {
  return error == net::error::address_family_not_supported ||
         error == boost::system::errc::address_not_available;
}

// Lets the process open as many files as the system allows.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

// Where connections come in.
struct Listener {
  tcp::acceptor acceptor;
  bool status;  // of metrics and health, else of the webhook
};

struct HttpServer::State {
  Traffic traffic;
  Certificates& certificates;
  const Options& options = traffic.options;
  Log& log = traffic.service.log;
  const unsigned threads = options.threads > 0 ? options.threads
                                               : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<Handler>> handlers;  // one for each thread
  std::function<void()> reload = [] {};
  std::atomic<bool> closed = false;  // nothing is accepted any more
  std::atomic<bool> lost = false;    // something was not answered
  std::atomic<size_t> status_connections = 0;
  net::io_context workers{static_cast<int>(threads)};  // of the connections of the webhook
  net::executor_work_guard<net::io_context::executor_type> keep_workers{workers.get_executor()};
  std::counting_semaphore<> ended_workers{0};
  net::io_context front{1};  // of all else: one thread
  std::list<Listener> listeners;
  net::signal_set signals{front, SIGTERM, SIGINT}, hangups{front, SIGHUP};

  std::vector<std::jthread> running;  // the workers

  State(Service& s, Certificates& c) : traffic(s), certificates(c) {}
  ~State() { workers.stop(); }

  std::string open(const std::string& address, bool status);
  std::string start_workers();
  net::any_io_executor executor_for(const Listener& listener);
  void serve(Listener& listener, tcp::socket socket);
  net::awaitable<void> accept(Listener& listener);
  void close(Listener& listener);
  void serve_status(tcp::socket socket);
  net::awaitable<void> talk_status(Plain stream, auto leave);
  net::awaitable<void> lasting(auto part);
  net::awaitable<void> sweep();
  net::awaitable<void> end_on_signal();
  net::awaitable<void> reload_on_hangup();
  void stop();
  Ending run();
};

// --- listening ---

std::string HttpServer::State::open(const std::string& address, bool status) {
  std::string host, port;
  if (!split_address(address, host, port))
    return address + ": want HOST:PORT or :PORT, with a port up to 65535";
  error_code error;
  std::vector<tcp::endpoint> places;
  if (host.empty()) {
    // IPv6, which takes IPv4 as well, or IPv4 alone where there is no IPv6.
    const auto number = static_cast<uint16_t>(std::stoul(port));
    places = {{tcp::v6(), number}, {tcp::v4(), number}};
  } else {
    tcp::resolver resolver(front);
    for (const auto& found : resolver.resolve(host, port, tcp::resolver::passive, error)) {
      if (std::ranges::find(places, found.endpoint()) == places.end()) places.push_back(found.endpoint());
    }
    if (error) return address + ": " + error.message();
  }
  bool some = false;
  error_code absent;
  for (const tcp::endpoint& place : places) {
    tcp::acceptor acceptor(front);
    if (error = listen_at(acceptor, place, host.empty()); is_absent(error)) {
      absent = error;
      continue;
    }
    if (error) return address + " (" + place.address().to_string() + "): " + error.message();
    log.line(LogLevel::Info, "listening",
             {{"address", acceptor.local_endpoint().address().to_string()},
              {"port", static_cast<int64_t>(acceptor.local_endpoint().port())},
              {"serves", status ? "metrics" : "webhook"}});
    listeners.push_back({std::move(acceptor), status});
    some = true;
    if (host.empty()) break;
  }
  return !some ? address + ": " + absent.message() : std::string();
}

// Where a connection lives.
net::any_io_executor HttpServer::State::executor_for(const Listener& listener) {
  if (listener.status) return front.get_executor();
  return net::make_strand(workers);
}

void HttpServer::State::serve(Listener& listener, tcp::socket socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  try {
    if (listener.status)
      serve_status(std::move(socket));
    else
      serve_session(traffic, std::move(socket), certificates.current());
  } catch (const std::exception& e) {  // memory
    log.line(LogLevel::Error, "a connection cannot be served", {{"error", e.what()}});
  }
}

net::awaitable<void> HttpServer::State::accept(Listener& listener) {
  while (!closed) {
    auto [error, socket] = co_await listener.acceptor.async_accept(executor_for(listener), kNoThrow);
    if (!error) {
      serve(listener, std::move(socket));
    } else if (!closed) {
      log.line(LogLevel::Warning, "a connection cannot be accepted", {{"error", error.message()}});
      net::steady_timer timer(front, kBreath);
      co_await timer.async_wait(kNoThrow);
    }
  }
}

// Accepts the connections that the system has made already, which would be lost, and no more.
void HttpServer::State::close(Listener& listener) {
  error_code error;
  listener.acceptor.cancel(error);
  listener.acceptor.non_blocking(true, error);
  for (;;) {
    tcp::socket socket(executor_for(listener));
    if (listener.acceptor.accept(socket, error); error) break;
    serve(listener, std::move(socket));
  }
  listener.acceptor.close(error);
}

net::awaitable<void> HttpServer::State::talk_status(Plain stream, [[maybe_unused]] auto leave) {
  beast::flat_buffer buffer(2 * kStatusHeader);
  for (bool keep = true; keep && !closed;) {
    http::request_parser<http::empty_body> parser;
    parser.header_limit(kStatusHeader);
    stream.expires_after(options.read_timeout);
    auto [error, size] = co_await http::async_read(stream, buffer, parser, kNoThrow);
    if (error) break;
    const auto& head = parser.get();
    const std::string_view method = view(head.method_string());
    const std::string_view target = path_and_query(view(head.target()));
    Response answer = plain_answer(404, "there is nothing at this path\n");
    std::string text;
    if (method != "GET" && method != "HEAD") {
      answer = plain_answer(405, "want GET\n");
    } else if (auto found = answer_health(method, target, traffic.health)) {
      text = std::move(found->text);
      answer = plain_answer(found->status, text);
    } else if (target.substr(0, target.find('?')) == "/metrics") {
      text = traffic.service.metrics.text();
      answer = {.status = 200, .type = "text/plain; version=0.0.4; charset=utf-8", .body = text};
    }
    keep = head.keep_alive() && !traffic.ends;
    if (co_await write_answer(stream, answer, keep, asked_of(head))) break;
  }
  error_code ignored;
  stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
}

void HttpServer::State::serve_status(tcp::socket socket) {
  if (status_connections >= options.max_connections / 4 + 1) return;
  status_connections++;
  AtEnd leave([this] { status_connections--; });
  auto executor = socket.get_executor();
  net::co_spawn(executor, talk_status(Plain(std::move(socket)), std::move(leave)), net::detached);
}

// --- the end ---

// Runs a part of the server, and again after an exception: memory that is out ends no part.
net::awaitable<void> HttpServer::State::lasting(auto part) {
  for (bool again = false;; again = true) {
    try {
      if (again) {
        net::steady_timer timer(front, kBreath);
        co_await timer.async_wait(kNoThrow);
      }
      co_return co_await part();
    } catch (const std::exception& e) {
      log.failure("a part of the server begins again", e);
    }
  }
}

net::awaitable<void> HttpServer::State::sweep() {
  net::steady_timer timer(front);
  for (;;) {
    timer.expires_after(kSweep);
    co_await timer.async_wait(kNoThrow);
    traffic.connections.sweep(Clock::now());
  }
}

net::awaitable<void> HttpServer::State::end_on_signal() {
  if (!traffic.ends) {
    auto [error, signal] = co_await signals.async_wait(kNoThrow);
    if (error) co_return;
    traffic.ends = true;
  }
  log.line(LogLevel::Info, "shutting down",
           {{"delayMilliseconds", static_cast<int64_t>(options.shutdown_delay.count())}});
  signals.async_wait([this](error_code failed, int) {
    if (failed) return;
    lost = lost || traffic.connections.answered() > 0;
    stop();
  });
  net::steady_timer timer(front, options.shutdown_delay);
  co_await timer.async_wait(kNoThrow);
  closed = true;
  for (Listener& listener : listeners) close(listener);
  const auto end = Clock::now() + options.shutdown_timeout;
  while (traffic.connections.size() > 0 && Clock::now() < end) {
    traffic.connections.close_waiting(Connection::Why::Shutdown);
    timer.expires_after(std::chrono::milliseconds(20));
    co_await timer.async_wait(kNoThrow);
  }
  lost = traffic.connections.answered() > 0;
  stop();
}

void HttpServer::State::stop() {
  workers.stop();
  front.stop();
}

net::awaitable<void> HttpServer::State::reload_on_hangup() {
  for (;;) {
    auto [error, signal] = co_await hangups.async_wait(kNoThrow);
    if (error) co_return;
    reload();
  }
}

std::string HttpServer::State::start_workers() {
  for (unsigned i = 0; i < threads; i++) handlers.push_back(std::make_unique<Handler>(traffic.service));
  auto work = [this](Handler& mine) {
    set_thread_handler(&mine);
    workers.run();
    set_thread_handler(nullptr);
    ended_workers.release();
  };
  try {
    for (const auto& handler : handlers) running.emplace_back(work, std::ref(*handler));
  } catch (const std::system_error& e) {
    return "cannot start " + std::to_string(threads) + " threads: " + e.code().message();
  }
  return {};
}

Ending HttpServer::State::run() {
  auto begin = [this](auto part) { net::co_spawn(front, lasting(part), net::detached); };
  for (Listener& listener : listeners) begin([this, &listener] { return accept(listener); });
  begin([this] { return sweep(); });
  begin([this] { return end_on_signal(); });
  begin([this] { return reload_on_hangup(); });
  front.run();
  const auto end = Clock::now() + kWorkersEnd;
  bool stuck = false;
  for (unsigned i = 0; i < threads; i++) stuck |= !ended_workers.try_acquire_until(end);
  for (std::jthread& t : running) stuck ? t.detach() : t.join();
  return stuck ? Ending::Stuck : lost ? Ending::Unanswered : Ending::Answered;
}

HttpServer::HttpServer(Service& service, Certificates& certificates) {
  raise_file_limit();
  state_ = std::make_unique<State>(service, certificates);
}
HttpServer::~HttpServer() = default;

std::string HttpServer::start() {
  State& s = *state_;
  for (const auto& [address, status] :
       {std::pair(s.options.listen, false), {s.options.metrics_listen, true}}) {
    if (status && address.empty()) continue;
    if (std::string error = s.open(address, status); !error.empty()) return "cannot listen: " + error;
  }
  return s.start_workers();
}
void HttpServer::on_hangup(std::function<void()> reload) { state_->reload = std::move(reload); }
Ending HttpServer::run() { return state_->run(); }

}  // namespace portcullis::server
