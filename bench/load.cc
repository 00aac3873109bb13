// A client that loads a webhook over HTTPS on this machine, and measures: how long answers take, and which there are.
//
// Idea: one thread and some connections, which stay open. Closed loop: each sends its next request after its answer.
// Open loop (--rate): requests are due at fixed times, whether earlier ones are answered or not, and their time counts
// from when they were due; so a server that stalls cannot hide it. Nothing is due before all connections are open, since
// their handshakes take longer than all else. Each answer is compared with those seen before.
// Prints one JSON object. bench/server.py starts it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;
using Clock = std::chrono::steady_clock;
using Stream = net::ssl::stream<tcp::socket>;

struct Load {
  uint16_t port = 0;
  std::string path = "/validate", file;
  unsigned connections = 8, requests = 0;
  double seconds = 0, rate = 0;
  bool reconnect = false;  // after each `Connection: close`
  unsigned renew = 0;      // a new connection after so many requests

  net::io_context context{1};
  net::ssl::context tls{net::ssl::context::tls_client};
  std::string request;  // with its header
  Clock::time_point start, end;
  uint64_t begun = 0, reconnects = 0, refused = 0;
  std::vector<float> times;  // of each answer, in microseconds
  std::map<std::string, uint64_t> answers, failures;

  net::awaitable<void> run_connection();
  net::awaitable<bool> run_requests(Stream& stream);
  net::awaitable<bool> send_one(Stream& stream, boost::beast::flat_buffer& buffer);
  net::awaitable<void> wait_for_all();
  net::steady_timer all_open{context, Clock::time_point::max()};
  unsigned running = 0, waiting = 0;
  std::function<void()> finished;
  bool more() const { return requests > 0 ? begun < requests : Clock::now() < end; }
};

// Sends a request when it is due and reads its answer. False if the connection ends.
net::awaitable<bool> Load::send_one(Stream& stream, boost::beast::flat_buffer& buffer) {
  const uint64_t number = begun++;
  Clock::time_point due = Clock::now();
  if (rate > 0) {
    due = start + std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(static_cast<double>(number) / rate));
    net::steady_timer timer(context, due);
    if (due > Clock::now()) co_await timer.async_wait(net::use_awaitable);
  }
  co_await net::async_write(stream, net::buffer(request), net::use_awaitable);
  http::response<http::string_body> answer;
  co_await http::async_read(stream, buffer, answer, net::use_awaitable);
  times.push_back(std::chrono::duration<float, std::micro>(Clock::now() - due).count());
  std::string text = std::to_string(answer.result_int()) + " " + answer.body();
  if (answers.size() < 64 || answers.contains(text)) answers[text]++;
  co_return answer.keep_alive();
}

// The time begins when all connections are open, or cannot be opened.
net::awaitable<void> Load::wait_for_all() {
  if (++waiting < connections) {
    boost::system::error_code ended;
    co_await all_open.async_wait(net::redirect_error(net::use_awaitable, ended));
  } else {
    start = Clock::now();
    end = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    all_open.cancel();
  }
}

// False if the server has ended the connection.
net::awaitable<bool> Load::run_requests(Stream& stream) {
  boost::beast::flat_buffer buffer;
  for (unsigned mine = 0; more() && (renew == 0 || mine < renew); mine++) {
    if (!co_await send_one(stream, buffer)) co_return false;
  }
  co_return true;
}

net::awaitable<void> Load::run_connection() {
  for (bool first = true; first || more(); first = false) {
    Stream stream(context, tls);
    bool open = false;
    try {
      co_await stream.next_layer().async_connect({net::ip::address_v4::loopback(), port}, net::use_awaitable);
      stream.next_layer().set_option(tcp::no_delay(true));
      co_await stream.async_handshake(net::ssl::stream_base::client, net::use_awaitable);
      open = true;
    } catch (const boost::system::system_error&) {
      refused++;  // nothing was sent: the server does not accept any more
    }
    if (first) co_await wait_for_all();
    if (!open) break;
    try {
      const bool stays = co_await run_requests(stream);
      if (!stays && !reconnect) failures["the server ended the connection"]++;
      reconnects++;
    } catch (const boost::system::system_error& e) {
      failures[e.code().message()]++;
    }
  }
  if (--running == 0) finished();
}

double percentile(const std::vector<float>& sorted, double part) {
  if (sorted.empty()) return 0;
  auto index = static_cast<size_t>(part * static_cast<double>(sorted.size() - 1));
  return static_cast<double>(sorted[index]);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ') continue;
    out += c;
  }
  return out + "\"";
}

void print_counts(const char* name, const std::map<std::string, uint64_t>& counts) {
  std::printf(", \"%s\": {", name);
  const char* comma = "";
  for (const auto& [text, count] : counts) {
    std::printf("%s%s: %llu", comma, quoted(text).c_str(), static_cast<unsigned long long>(count));
    comma = ", ";
  }
  std::printf("}");
}

void print(Load& load, double seconds) {
  std::sort(load.times.begin(), load.times.end());
  std::printf("{\"requests\": %zu, \"seconds\": %.3f, \"perSecond\": %.1f", load.times.size(), seconds,
              static_cast<double>(load.times.size()) / seconds);
  const std::pair<const char*, double> parts[] = {
      {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
  for (const auto& [name, part] : parts) std::printf(", \"%s\": %.1f", name, percentile(load.times, part));
  std::printf(", \"connections\": %llu, \"refused\": %llu", static_cast<unsigned long long>(load.reconnects),
              static_cast<unsigned long long>(load.refused));
  print_counts("answers", load.answers);
  print_counts("failures", load.failures);
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  Load load;
  CLI::App app{"Loads a webhook on this machine, and prints how long its answers take"};
  app.add_option("port", load.port)->required();
  app.add_option("body", load.file, "File with the body of the request")->required();
  app.add_option("--path", load.path);
  app.add_option("--connections", load.connections);
  app.add_option("--requests", load.requests, "How many; or else --seconds");
  app.add_option("--seconds", load.seconds);
  app.add_option("--rate", load.rate, "Requests due in a second (open loop)");
  app.add_flag("--reconnect", load.reconnect, "Go on with a new connection where the server ends one");
  app.add_option("--renew", load.renew, "A new connection after so many requests");
  CLI11_PARSE(app, argc, argv);
  std::ifstream in(load.file, std::ios::binary);
  const std::string body((std::istreambuf_iterator<char>(in)), {});
  load.request = "POST " + load.path +
                 " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body;
  load.times.reserve(load.requests + 100000);
  load.running = load.connections;
  for (unsigned i = 0; i < load.connections; i++)
    net::co_spawn(load.context, load.run_connection(), net::detached);
  // Ends early, with what it has.
  net::signal_set signals(load.context, SIGINT);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) load.requests = 0, load.seconds = 0, load.end = Clock::now();
  });
  load.finished = [&] { signals.cancel(); };
  load.context.run();
  print(load, std::chrono::duration<double>(Clock::now() - load.start).count());
  return 0;
}
