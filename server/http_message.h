// The answer of the server as a message of Beast.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string_view>

#include "server/webhook.h"

namespace portcullis::server {

inline std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }
inline boost::beast::string_view beast_view(std::string_view text) { return {text.data(), text.size()}; }

// The message has its own copy of the body.
inline boost::beast::http::response<boost::beast::http::string_body> message_of(const HttpAnswer& answer,
                                                                                bool keep) {
  namespace http = boost::beast::http;
  http::response<http::string_body> out;
  out.version(11);
  out.result(answer.status);
  out.set(http::field::content_type, beast_view(answer.type));
  if (!answer.allow.empty()) out.set(http::field::allow, beast_view(answer.allow));
  if (answer.retry) out.set(http::field::retry_after, "1");
  out.body() = answer.body;
  out.keep_alive(keep);
  out.prepare_payload();
  return out;
}

}  // namespace portcullis::server
