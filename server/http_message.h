// The answer of the server as a message of Beast, and what all ports read and write in the same way.
// Tested by tests/server/hostile.py.
#pragma once

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <string_view>

#include "server/handler.h"
#include "server/session.h"

namespace portcullis::server {

inline std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }
inline boost::beast::string_view beast_view(std::string_view text) { return {text.data(), text.size()}; }

// Path and query of a request's target, which may be a whole URL (RFC 9112, 3.2.2).
inline std::string_view path_and_query(std::string_view target) {
  for (std::string_view scheme : {"https://", "http://"}) {
    if (!boost::beast::iequals(beast_view(target.substr(0, scheme.size())), beast_view(scheme))) continue;
    const size_t path = target.find_first_of("/?", scheme.size());
    return path == target.npos ? "/" : target.substr(path);
  }
  return target;
}

// What an answer must know of its request.
struct Asked {
  bool head = false;  // HEAD: the answer has no body
  bool old = false;   // HTTP/1.0: an answer says if the connection stays
};

inline Asked asked_of(const auto& header) {
  return {header.method() == boost::beast::http::verb::head, header.version() < 11};
}

// An answer to a person. `text` must outlive it.
inline Response plain_answer(unsigned status, std::string_view text) {
  Response out{.status = status, .type = "text/plain; charset=utf-8", .body = text};
  if (status == 405) out.allow = "GET, HEAD";
  return out;
}

// The message has its own copy of the body.
inline boost::beast::http::response<boost::beast::http::string_body> message_of(const Response& answer,
                                                                                bool keep, Asked asked) {
  namespace http = boost::beast::http;
  http::response<http::string_body> out;
  out.version(11);
  out.result(answer.status);
  out.set(http::field::content_type, beast_view(answer.type));
  if (!answer.allow.empty()) out.set(http::field::allow, beast_view(answer.allow));
  if (answer.retry) out.set(http::field::retry_after, "1");
  out.body() = answer.body;
  out.keep_alive(keep);
  if (keep && asked.old) out.set(http::field::connection, "keep-alive");
  out.prepare_payload();
  return out;
}

// `keep`: whether the next request can follow on the connection.
boost::asio::awaitable<boost::system::error_code> write_answer(auto& stream, const Response& answer,
                                                               bool keep, Asked asked) {
  namespace http = boost::beast::http;
  auto message = message_of(answer, keep, asked);
  http::response_serializer<http::string_body> serializer(message);
  if (asked.head) {
    auto [error, size] = co_await http::async_write_header(stream, serializer, kNoThrow);
    co_return error;
  }
  auto [error, size] = co_await http::async_write(stream, serializer, kNoThrow);
  co_return error;
}

}  // namespace portcullis::server
