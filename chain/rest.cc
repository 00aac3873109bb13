#include "chain/rest.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "admission/scalars/url.h"
#include "grammar/quote.h"
#include "interpreter/formats/duration.h"

namespace portcullis::chain {
namespace {

// The time between an answer and the next call that it asks for, in nanoseconds; nothing if it asks for none.
std::optional<int64_t> pause_of(const HttpAnswer& answer) {
  if (answer.code != 429 && answer.code < 500) return {};
  std::string_view text = answer.header("Retry-After");
  if (text.starts_with('+')) text.remove_prefix(text.starts_with("+-") ? 0 : 1);
  int64_t seconds = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || rest != end || text.empty()) return {};
  return static_cast<int64_t>(static_cast<uint64_t>(seconds) * kNanosPerSecond);  // wraps as in Go
}

// How a redirection goes on.
struct Hop {
  bool follow = false, keep_post = false;
};
Hop hop_of(const HttpAnswer& answer) {
  if (answer.header("Location").empty()) return {};
  switch (answer.code) {
    case 301:
    case 302:
    case 303: return {true, false};
    case 307:
    case 308: return {true, true};
    default: return {};
  }
}

// The error that Go's transport has for an URL before it connects.
std::string transport_error(const Url& url) {
  if (url.scheme != "http" && url.scheme != "https")
    return "unsupported protocol scheme " + quote(url.scheme);
  return url.host.empty() ? "http: no Host in request URL" : "";
}

HttpAnswer failed_call(std::string_view url, std::string_view why) {
  HttpAnswer out;
  out.error = "Post " + quote(url) + ": " + std::string(why);
  return out;
}

// One call with its redirections (http.Client.do).
HttpAnswer follow(Asker& asker, std::string_view first, std::string_view review, int64_t deadline) {
  Arena arena;
  Url url;
  std::string_view text = first;
  if (std::string_view error = url::parse(arena, first, url); !error.empty())
    return failed_call(first, error);
  bool post = true;
  for (int hops = 0;; ++hops) {
    if (std::string error = transport_error(url); !error.empty()) return failed_call(text, error);
    if (asker.now() >= deadline) return failed_call(text, kDeadlineExceeded);
    HttpAnswer answer = asker.send({text, post ? review : std::string_view(), post}, deadline);
    if (!answer.error.empty()) return failed_call(text, answer.error);
    if (answer.body_error.empty() && asker.now() >= deadline) return failed_call(text, kDeadlineExceeded);
    const Hop hop = hop_of(answer);
    if (!hop.follow) return answer;
    const std::string_view location = arena.copy(answer.header("Location"));
    Url next;
    if (std::string_view error = url::parse(arena, location, next); !error.empty())
      return failed_call(text,
                         "failed to parse Location header " + quote(location) + ": " + std::string(error));
    if (hops + 1 >= kMaxRedirections) {
      std::string why = "stopped after " + std::to_string(kMaxRedirections) + " redirects";
      return failed_call(location, why);
    }
    post = post && hop.keep_post;
    url = url::resolve(arena, url, next);
    text = url::print(arena, url);
  }
}

// path.Join("/", path)
std::string clean_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == "..") {
      out.resize(out.empty() ? 0 : out.rfind('/'));
    } else if (!part.empty() && part != ".") {
      out.append("/").append(part);
    }
  }
  return out.empty() ? "/" : out;
}

std::string print_base(Arena& arena, std::string_view scheme, std::string_view host, std::string_view path) {
  Url made;
  made.scheme = scheme;
  made.host = host;
  const std::string clean = clean_path(path);
  made.path = clean;
  return std::string(url::print(arena, made));
}

}  // namespace

Result<std::string> call_url(std::string_view configured) {
  Arena arena;
  Url url;
  if (std::string_view error = url::parse(arena, configured, url); !error.empty())
    return Error{"Unparsable URL: " + std::string(error)};
  return print_base(arena, url.scheme, url.host, url.path);
}

Result<std::string> call_url(std::string_view service, std::string_view name_space, int64_t port,
                             std::string_view path) {
  Arena arena;
  std::string host(service);
  host.append(".").append(name_space).append(".svc");
  if (host.find(':') != host.npos) host = "[" + host + "]";
  const std::string base = "https://" + host + ":" + std::to_string(port);
  Url url;
  if (url::parse(arena, base, url).empty() && !url.host.empty())
    return print_base(arena, url.scheme, url.host, std::string(url.path) + "/" + std::string(path));
  // client-go tries once more with a scheme before it, and what it then finds is no host.
  Url again;
  if (std::string_view error = url::parse(arena, "https://" + base, again); !error.empty())
    return Error{std::string(error)};
  return Error{"host must be a URL or a host:port pair: " + quote(base)};
}

HttpAnswer call(Asker& asker, std::string_view url, std::string_view review, int timeout_seconds) {
  Arena arena;
  const int64_t timeout = timeout_seconds * kNanosPerSecond;
  TextBuilder full(arena);
  full.append(url);
  full.append("?timeout=");
  append_duration(full, timeout);
  const int64_t deadline = asker.now() + timeout;
  for (int repetitions = 0;; ++repetitions) {
    HttpAnswer answer = follow(asker, full.view(), review, deadline);
    if (!answer.error.empty() || repetitions == kMaxRepetitions) return answer;
    const std::optional<int64_t> pause = pause_of(answer);
    if (!pause) return answer;
    const int64_t now = asker.now();
    asker.wait_until(std::min(deadline, now + std::clamp<int64_t>(*pause, 0, timeout)));
  }
}

}  // namespace portcullis::chain
