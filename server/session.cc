// See session.h.
#include "server/session.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "server/at_end.h"
#include "server/http_message.h"

namespace portcullis::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;
using boost::system::error_code;
using Body = http::basic_dynamic_body<beast::flat_buffer>;
using Parser = http::request_parser<Body>;

// What is read at once: of a request's beginning, and of the rest.
constexpr size_t kFirst = size_t{4} << 10, kMore = size_t{16} << 10;
// How long the end of a connection may take, and how much of what the client still sends is read until then: a
// connection that is closed with unread bytes would take the answer with it.
constexpr std::chrono::seconds kGoodbye{2};
constexpr size_t kUnread = size_t{64} << 20;
// How long a connection that was accepted just before the end may take for its only request.
constexpr std::chrono::seconds kCloseGrace{1};

thread_local Handler* this_handler = nullptr;

// All but the constructor and `post_close` runs in the strand of its socket. The coroutine keeps it alive.
class Session : public Connection, public std::enable_shared_from_this<Session> {
 public:
  Session(Traffic& traffic, tcp::socket socket, std::shared_ptr<net::ssl::context> context)
      : traffic_(traffic),
        context_(std::move(context)),
        stream_(std::move(socket), *context_),
        buffer_(traffic.options.max_header + kMore) {}

  auto executor() { return stream_.get_executor(); }
  void take(Connections::Handle handle) {
    handle_ = handle;
    traffic_.service.metrics.connections(1);
  }

  void leave() {
    traffic_.connections.remove(handle_);
    traffic_.service.metrics.connections(-1);
  }

  void post_close(Why why) override {
    net::post(executor(), [self = shared_from_this(), why] {
      self->take_request(why);
      self->close_for(why);
    });
  }

  // The whole life of the connection.
  net::awaitable<void> run() {
    try {
      co_await talk();
    } catch (const std::exception& e) {  // memory
      traffic_.service.log.line(LogLevel::Error, "a connection ends", {{"error", e.what()}});
    }
    error_code ignored;
    socket().close(ignored);
  }

 private:
  enum class Step { Handshake, Idle, Read, Answer, Send, Leave };

  tcp::socket& socket() { return stream_.next_layer(); }

  void begin(Step step) {
    step_ = step;
    if (step == Step::Answer) return set_no_deadline();
    const Options& o = traffic_.options;
    set_deadline(Clock::now() + (step == Step::Idle    ? o.idle_timeout
                                 : step == Step::Leave ? std::chrono::milliseconds(kGoodbye)
                                                       : o.read_timeout));
  }

  void close_for(Why why) {
    error_code ignored;
    const bool waits = step_ != Step::Answer && step_ != Step::Send;
    if (why == Why::Late) {
      if (!is_late(Clock::now())) return;
      late_ = step_ == Step::Read;
      if (step_ == Step::Read || step_ == Step::Idle) {
        begin(Step::Send);  // of the answer that tells it, or of the goodbye
        socket().cancel(ignored);
        return;
      }
    } else if (why == Why::Shutdown) {
      const bool fresh = !served_ && Clock::now() < begun_ + kCloseGrace;
      if (step_ == Step::Idle && !fresh) socket().cancel(ignored);
      return;
    } else if (!waits) {
      return;
    }
    gone_ = true;
    socket().close(ignored);
  }

  net::awaitable<void> talk() {
    unserved_ = Clock::now() - begun_;
    begin(Step::Handshake);
    auto [error] = co_await stream_.async_handshake(net::ssl::stream_base::server, kNoThrow);
    if (error) co_return co_await refuse_handshake(error);
    traffic_.connections.set(handle_, Connections::State::Waits);
    while (co_await serve_one()) {
    }
    if (gone_) co_return;
    begin(Step::Leave);
    co_await stream_.async_shutdown(kNoThrow);
    if (unread_) co_await drop_unread();
  }

  net::awaitable<void> refuse_handshake(error_code error) {
    traffic_.service.metrics.handshake_failed();
    traffic_.service.log.line(LogLevel::Debug, "a handshake failed", {{"error", error.message()}});
    if (error.category() != net::error::get_ssl_category() ||
        ERR_GET_REASON(static_cast<unsigned long>(error.value())) != SSL_R_HTTP_REQUEST)
      co_return;
    begin(Step::Leave);
    const Response answer = this_handler->refuse_bytes(400, "BadRequest", "this port speaks HTTPS, not HTTP");
    co_await write_answer(socket(), answer, false, {});
    co_await drop_unread();
  }

  // Reads what the client still sends, which nobody wants.
  net::awaitable<void> drop_unread() {
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> dropped;
    for (size_t all = 0; all < kUnread && !gone_;) {
      auto [error, size] = co_await socket().async_read_some(net::buffer(dropped), kNoThrow);
      if (error) co_return;
      all += size;
    }
  }

  // Reads at most `most` bytes more. An error of the system, or that the buffer is full.
  net::awaitable<error_code> read_more(size_t most) {
    const size_t room = std::min(most, buffer_.max_size() - buffer_.size());
    if (room == 0) co_return http::make_error_code(http::error::buffer_overflow);
    auto [error, size] = co_await stream_.async_read_some(buffer_.prepare(room), kNoThrow);
    buffer_.commit(size);
    co_return error;
  }

  // Waits for the first bytes of a request. False if the connection ends.
  net::awaitable<bool> wait_for_request() {
    begin(Step::Idle);
    if (buffer_.capacity() > kMore) buffer_.shrink_to_fit();
    co_return !co_await read_more(kFirst);
  }

  // Parses what is in the buffer. An error, or need_more.
  error_code parse(Parser& parser) {
    error_code error;
    buffer_.consume(parser.put(buffer_.data(), error));
    return error;
  }

  // Whether a line of the header begins with white space, which the parser takes as the end of the line before. The
  // parser leaves an incomplete header in the buffer.
  static bool is_folded(std::string_view bytes) {
    const std::string_view head = bytes.substr(0, bytes.find("\r\n\r\n"));
    return head.find("\r\n ") != head.npos || head.find("\r\n\t") != head.npos;
  }

  // Reads until the header is complete. An error is one of `refuse_unreadable`.
  net::awaitable<error_code> read_header(Parser& parser) {
    for (;;) {
      folded_ = is_folded({static_cast<const char*>(buffer_.data().data()), buffer_.size()});
      error_code error = parse(parser);
      if (parser.is_header_done() || (error && error != http::error::need_more)) co_return error;
      error = co_await read_more(kMore);
      if (error) co_return error;
    }
  }

  // Reads a request and answers it. False if the connection ends.
  net::awaitable<bool> serve_one() {
    // A buffer that is not empty has the next request, which came with the last one.
    if (buffer_.size() == 0 && !co_await wait_for_request()) co_return false;
    begin(Step::Read);
    const Clock::time_point first_byte = Clock::now() - std::exchange(unserved_, {});
    asked_ = {};
    Parser parser;
    parser.header_limit(static_cast<uint32_t>(traffic_.options.max_header));
    parser.body_limit(boost::none);  // `serve_review` has one, and knows whose body it is
    if (error_code error = co_await read_header(parser); error) co_return co_await refuse_unreadable(error);
    const auto& head = parser.get();
    asked_ = asked_of(head);
    const RequestHead request{view(head.method_string()), path_and_query(view(head.target())),
                              view(head[http::field::content_type]),
                              view(head[http::field::content_encoding]), first_byte};
    // Whether the next request can follow on this connection.
    const bool keep = head.keep_alive() && parser.is_done();
    unread_ = !parser.is_done();
    if (const Response* refused = refuse_framing(parser)) co_return co_await send(*refused, false);
    if (auto health = answer_health(request.method, request.target, traffic_.health)) {
      const Response answer = plain_answer(health->status, health->text);
      co_return co_await send(answer, keep);
    }
    if (auto refusal = this_handler->refuse(request)) co_return co_await send(*refusal, keep);
    co_return co_await serve_review(parser, request, head.keep_alive());
  }

  // What the parser takes, although a server in front of this one might understand it in another way.
  const Response* refuse_framing(const Parser& parser) {
    const auto& head = parser.get();
    if (head.version() == 11 && head.count(http::field::host) != 1)
      refusal_ = this_handler->refuse_bytes(400, "BadRequest", "want one header Host");
    else if (folded_)
      refusal_ = this_handler->refuse_bytes(400, "BadRequest", "want each header on one line");
    else if (head.count(http::field::content_type) > 1 || head.count(http::field::content_encoding) > 1 ||
             head[http::field::content_length].find(',') != beast::string_view::npos)
      refusal_ = this_handler->refuse_bytes(
          400, "BadRequest", "want one Content-Type, Content-Encoding and Content-Length at most");
    else if (head.count(http::field::transfer_encoding) > 0 &&
             (head.version() < 11 || head.count(http::field::transfer_encoding) > 1 ||
              !beast::iequals(head[http::field::transfer_encoding], "chunked")))
      refusal_ = this_handler->refuse_bytes(501, "NotImplemented", "want no transfer coding but chunked");
    else
      return nullptr;
    return &refusal_;
  }

  net::awaitable<bool> serve_review(Parser& parser, const RequestHead& request, bool keep) {
    const size_t most = traffic_.options.max_body;
    if (const auto size = parser.content_length(); size && *size > most) {
      const Response answer = this_handler->too_large(request, *size);
      co_return co_await send(answer, false);
    }
    parser.body_limit(most);  // of chunks
    if (unread_ && beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      http::response<http::empty_body> go_on{http::status::continue_, 11};
      auto [error, size] = co_await http::async_write(stream_, go_on, kNoThrow);
      if (error) co_return false;
    }
    begin(Step::Read);  // the body has a time of its own
    BodyReservation reserved(traffic_.pending_bytes, traffic_.options.max_pending_bytes);
    while (!parser.is_done()) {
      error_code error = buffer_.size() > 0 ? parse(parser) : http::make_error_code(http::error::need_more);
      if (error == http::error::need_more) error = co_await read_more(kMore);
      if (error == http::error::body_limit) {
        const Response answer = this_handler->too_large(request, {});
        co_return co_await send(answer, false);
      }
      if (error) co_return co_await refuse_unreadable(error);
      if (!reserved.grow_to(parser.get().body().size())) {
        const Response answer = this_handler->too_many(request, {});
        co_return co_await send(answer, false);
      }
    }
    unread_ = false;
    auto data = parser.get().body().data();
    co_return co_await decide(request, {static_cast<const char*>(data.data()), data.size()}, keep);
  }

  // Asks the cluster for a namespace; other requests go on meanwhile. The reason if that is unknown afterwards.
  net::awaitable<std::string> find_namespace(std::string name) {
    auto ask = [&cluster = *traffic_.service.cluster](auto handler, const std::string& asked) {
      auto shared = std::make_shared<decltype(handler)>(std::move(handler));
      cluster.find(asked, [shared](std::string why) {
        auto executor = net::get_associated_executor(*shared);
        net::post(executor, [shared, why = std::move(why)]() mutable { (*shared)(std::move(why)); });
      });
    };
    return net::async_initiate<decltype(net::use_awaitable), void(std::string)>(ask, net::use_awaitable,
                                                                                std::move(name));
  }

  net::awaitable<bool> decide(const RequestHead& request, std::string_view body, bool keep) {
    const Clock::time_point arrived = Clock::now();
    begin(Step::Answer);
    traffic_.connections.set(handle_, Connections::State::Answered);
    const bool crowded = traffic_.in_flight++ >= traffic_.options.max_in_flight;
    traffic_.service.metrics.in_flight(1);
    Response answer;
    {
      AtEnd decided([this] {
        traffic_.in_flight--;
        traffic_.service.metrics.in_flight(-1);
      });
      if (crowded) {
        answer = this_handler->too_many(request, body);
      } else {
        co_await net::post(executor(), net::use_awaitable);  // behind the requests that came before it
        answer = this_handler->answer(request, body, arrived);
        if (!answer.unknown_namespace.empty()) {
          const std::string why = co_await find_namespace(std::string(answer.unknown_namespace));
          answer = this_handler->answer_with(why, request, body, arrived);
        }
      }
    }
    BodyReservation held(traffic_.pending_bytes, traffic_.options.max_pending_bytes);
    if (!held.grow_to(answer.body.size())) answer = this_handler->too_many(request, body);
    const bool stays = co_await send(answer, keep);
    traffic_.connections.set(handle_, Connections::State::Waits);
    co_return stays;
  }

  // The answer to bytes that are no request, or that did not come in time; the connection ends with it.
  net::awaitable<bool> refuse_unreadable(error_code error) {
    auto refused = [&](unsigned status, std::string_view reason, std::string_view message) {
      unread_ = true;
      refusal_ = this_handler->refuse_bytes(status, reason, message);
    };
    if (late_) {
      refused(408, "Timeout", "the request did not arrive in time");
    } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      refused(431, "RequestHeaderFieldsTooLarge", "the header of the request is too large");
    } else if (error.category() == http::make_error_code(http::error::bad_method).category()) {
      refused(400, "BadRequest", "this is not an HTTP request: " + error.message());
    } else {
      co_return false;  // the client is gone
    }
    co_return co_await send(refusal_, false);
  }

  // Sends an answer. False if the connection ends.
  net::awaitable<bool> send(const Response& answer, bool keep) {
    keep = keep && !traffic_.ends;
    begin(Step::Send);
    const error_code error = co_await write_answer(stream_, answer, keep, asked_);
    served_ = true;
    co_return keep && !error;
  }

  Traffic& traffic_;
  std::shared_ptr<net::ssl::context> context_;  // of the certificate that was in use at its beginning
  net::ssl::stream<tcp::socket> stream_;
  beast::flat_buffer buffer_;
  bool folded_ = false;  // a header of the request goes on in the next line
  Connections::Handle handle_;
  const Clock::time_point begun_ = Clock::now();
  Clock::duration unserved_{};  // how long its first request has waited for a thread, as far as it is known
  Step step_ = Step::Handshake;
  Asked asked_;          // the present request, once its header is read
  Response refusal_;     // of bytes
  bool served_ = false;  // has had an answer
  bool late_ = false;    // the request did not arrive in time
  bool unread_ = false;  // the client may still send what is not wanted
  bool gone_ = false;    // the socket is closed
};

net::awaitable<void> run_session(std::shared_ptr<Session> session, [[maybe_unused]] auto leave) {
  co_await session->run();
}

}  // namespace

void set_thread_handler(Handler* handler) { this_handler = handler; }

void serve_session(Traffic& traffic, tcp::socket socket, std::shared_ptr<net::ssl::context> context) {
  auto session = std::make_shared<Session>(traffic, std::move(socket), std::move(context));
  auto place = traffic.connections.add(*session, traffic.options.max_connections);
  if (!place) return;  // the socket closes
  session->take(*place);
  AtEnd leave([session] { session->leave(); });
  net::co_spawn(session->executor(), run_session(session, std::move(leave)), net::detached);
}

}  // namespace portcullis::server
