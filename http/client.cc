#include "http/client.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "admission/scalars/url.h"
#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "http/key_pair.h"
#include "http/libcurl.h"
#include "http/verify.h"

namespace portcullis::http {
namespace {

using chain::HttpAnswer;
using chain::HttpRequest;

constexpr int64_t kMillisecond = 1'000'000;
constexpr std::string_view kBroken = "net/http: HTTP/1.x transport connection broken: ";
// What the API server sends besides.
constexpr const char* kHeaders[] = {"Accept: application/json, */*", "Content-Type: application/json",
                                    "User-Agent: kube-apiserver-admission", "Expect:"};

struct FreeCurl {
  void operator()(CURL* p) const { libcurl().easy_cleanup(p); }
  void operator()(curl_slist* p) const { libcurl().slist_free_all(p); }
};

// The number at the beginning of a text, behind spaces; 0 if there is none.
int number_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// An answer on its way in.
struct Receiver {
  HttpAnswer answer;
  bool head_done = false;  // all headers of the answer are there
  bool too_large = false;
  std::string malformed;  // Go's text for a head that is none

  // The next line of a head, with its line break.
  bool header(std::string_view line) {
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {  // of an answer, or of an interim one before it
      answer.headers.clear();
      answer.code = number_at(line.substr(std::min(line.find(' '), line.size())));
      return true;
    }
    if (line.empty()) {
      head_done = answer.code >= 200;
      return true;
    }
    const size_t colon = line.find(':');
    if (colon == line.npos) return false;  // libcurl refuses it first
    // Trailers come after the body, and are nothing to a client that does not ask for them.
    if (!head_done) answer.headers.emplace_back(line.substr(0, colon), line.substr(colon + 1));
    return true;
  }

  bool data(std::string_view part) {
    if (answer.code == 0) {  // HTTP/0.9 to libcurl: no status line
      malformed = "malformed HTTP response " + quote(part.substr(0, part.find_first_of("\r\n")));
      return false;
    }
    too_large = answer.body.size() + part.size() > kMaxBody;
    if (!too_large) answer.body.append(part);
    return !too_large;
  }
};

size_t take_header(char* data, size_t, size_t size, void* to) {
  return static_cast<Receiver*>(to)->header({data, size}) ? size : 0;
}
size_t take_data(char* data, size_t, size_t size, void* to) {
  return static_cast<Receiver*>(to)->data({data, size}) ? size : 0;
}
CURLcode take_context(CURL*, void* context, void* verification) {
  check_server(static_cast<SSL_CTX*>(context), *static_cast<Verification*>(verification));
  return CURLE_OK;
}

// "127.0.0.1:443", "[::1]:443"
std::string address_text(std::string host, long port) {
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return host + ":" + std::to_string(port);
}

// Opens the socket of a connection and notes the first address, which Go's errors name.
curl_socket_t open_socket(void* to, curlsocktype, curl_sockaddr* target) {
  char host[NI_MAXHOST], port[NI_MAXSERV];
  auto& first = *static_cast<std::string*>(to);
  if (first.empty() && getnameinfo(&target->addr, target->addrlen, host, sizeof host, port, sizeof port,
                                   NI_NUMERICHOST | NI_NUMERICSERV) == 0)
    first = address_text(host, std::atol(port));
  return socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
}

std::string info_text(CURL* curl, CURLINFO what) {
  const char* text = nullptr;
  libcurl().easy_getinfo(curl, what, &text);
  return text == nullptr ? "" : text;
}

std::string address(CURL* curl, CURLINFO ip, CURLINFO port) {
  long number = 0;
  libcurl().easy_getinfo(curl, port, &number);
  return address_text(info_text(curl, ip), number);
}

// The text of a system error, as Go has it.
std::string system_text(int number) {
  std::string text = std::strerror(number);
  if (!text.empty()) text[0] = to_lower(text[0]);
  return text;
}

// The alerts of TLS for which OpenSSL and Go have different words.
constexpr std::pair<std::string_view, std::string_view> kAlerts[] = {
    {"unknown ca", "unknown certificate authority"},
    {"protocol version", "protocol version not supported"},
    {"certificate unknown", "unknown certificate"},
    {"certificate expired", "expired certificate"},
    {"certificate revoked", "revoked certificate"},
    {"access denied", "access denied"},
    {"no application protocol", "no application protocol"},
    {"unrecognized name", "unrecognized name"},
};

// What Go says of a server that does not begin with a record of a handshake, or an alert (crypto/tls
// readRecordOrCCS, net/http); empty if it does.
std::string no_tls(std::string_view first) {
  if (first == "HTTP/") return "http: server gave HTTP response to HTTPS client";
  if (first.size() < 2) return {};
  const auto type = static_cast<unsigned char>(first[0]), major = static_cast<unsigned char>(first[1]);
  if (type == 0x80) return "tls: unsupported SSLv2 handshake received";
  const bool handshake = (type == SSL3_RT_ALERT || type == SSL3_RT_HANDSHAKE) && major < 0x10;
  return handshake ? "" : "tls: first record does not look like a TLS handshake";
}

// Sends one request.
class Sending {
 public:
  Sending(const Options& options, X509_STORE* roots, const HttpRequest& request, int64_t left)
      : request_(request), curl_(libcurl().easy_init()) {
    verification_.roots = roots;
    const std::string url(request.url);
    Arena arena;
    Url parts;
    (void)url::parse(arena, arena.copy(url), parts);
    verification_.host = parts.hostname();
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);                // no waiting for a resolver that is late
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // those of a proxy
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_HTTP09_ALLOWED, 1L);  // so that its first line can be told
    set(CURLOPT_ACCEPT_ENCODING, "gzip");
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(left / kMillisecond)));
    set(CURLOPT_ERRORBUFFER, details_);
    receive();
    secure(options);
    connect(options, parts);
    if (request.post) {
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      set(CURLOPT_POSTFIELDS, request.body.data());
    }
    for (const char* header : kHeaders) append(headers_, header);
    set(CURLOPT_HTTPHEADER, headers_.get());
  }

  HttpAnswer perform() {
    receiver_.answer.code = 0;
    const CURLcode code = libcurl().easy_perform(curl_.get());
    if (code != CURLE_OK) fail(code);
    if (code == CURLE_OK && !receiver_.head_done)
      receiver_.answer.error = receiver_.answer.code == 0 ? "EOF" : std::string(kBroken) + "unexpected EOF";
    return std::move(receiver_.answer);
  }

 private:
  using List = std::unique_ptr<curl_slist, FreeCurl>;

  template <class T>
  void set(CURLoption option, T value) {
    libcurl().easy_setopt(curl_.get(), option, value);
  }
  static void append(List& list, const char* text) {
    list.reset(libcurl().slist_append(list.release(), text));
  }

  void receive() {
    set(CURLOPT_HEADERFUNCTION, take_header);
    set(CURLOPT_HEADERDATA, &receiver_);
    set(CURLOPT_WRITEFUNCTION, take_data);
    set(CURLOPT_WRITEDATA, &receiver_);
    set(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    set(CURLOPT_OPENSOCKETDATA, &target_address_);
  }

  void secure(const Options& options) {
    const char* none = nullptr;  // roots are those of the verification
    set(CURLOPT_CAINFO, none);
    set(CURLOPT_CAPATH, none);
    set(CURLOPT_SSL_CTX_FUNCTION, take_context);
    set(CURLOPT_SSL_CTX_DATA, &verification_);
    if (options.client_certificate.empty()) return;
    set(CURLOPT_SSLCERT, options.client_certificate.c_str());
    set(CURLOPT_SSLKEY, options.client_key.c_str());
    set(CURLOPT_KEYPASSWD, "");  // instead of a question at the terminal
  }

  void connect(const Options& options, const Url& url) {
    const std::string_view host = url.hostname();
    auto given = std::ranges::find(options.addresses, host, &std::pair<std::string, std::string>::first);
    if (given != options.addresses.end()) {
      append(target_, (given->first + "::" + given->second).c_str());
      set(CURLOPT_CONNECT_TO, target_.get());
    }
    // As in Go, no proxy for this machine; nor for a server whose address is given.
    if (given != options.addresses.end() || host == "localhost" || host == "::1" || host.starts_with("127."))
      set(CURLOPT_PROXY, "");
  }

  // Puts what went wrong into the answer, in Go's words.
  void fail(CURLcode code) {
    HttpAnswer& answer = receiver_.answer;
    if (receiver_.head_done) {
      answer.body_error = body_error(code);
    } else {
      answer.error = receiver_.malformed.empty() ? error(code) : std::string(kBroken) + receiver_.malformed;
    }
  }

  std::string body_error(CURLcode code) {
    if (receiver_.too_large) return "the body exceeds " + std::to_string(kMaxBody) + " bytes";
    if (code == CURLE_OPERATION_TIMEDOUT) return std::string(chain::kDeadlineExceeded);
    if (code == CURLE_PARTIAL_FILE) return "unexpected EOF";
    if (code == CURLE_BAD_CONTENT_ENCODING) return "gzip: invalid header";
    if (std::optional<int> number = system_error()) return read_text(*number);
    return code == CURLE_RECV_ERROR ? "invalid byte in chunk length" : details(code);
  }

  std::string error(CURLcode code) {
    if (code == CURLE_OPERATION_TIMEDOUT) return std::string(chain::kDeadlineExceeded);
    if (code == CURLE_GOT_NOTHING) return "EOF";
    if (code == CURLE_OUT_OF_MEMORY || details(code).starts_with("Too large response headers"))
      return std::string(kBroken) + "net/http: server response headers exceeded 10485760 bytes; aborted";
    if (code == CURLE_COULDNT_RESOLVE_HOST)
      return "dial tcp: lookup " + verification_.host + ": no such host";
    if (code == CURLE_COULDNT_CONNECT) {
      long number = 0;
      libcurl().easy_getinfo(curl_.get(), CURLINFO_OS_ERRNO, &number);
      return "dial tcp " + target_address_ + ": connect: " + system_text(static_cast<int>(number));
    }
    if (!verification_.error.empty()) return "tls: failed to verify certificate: " + verification_.error;
    if (std::optional<int> number = system_error()) return *number == 0 ? "EOF" : read_text(*number);
    if (code == CURLE_SSL_CONNECT_ERROR || code == CURLE_RECV_ERROR) return tls_error(code);
    return std::string(kBroken) + details(code);
  }

  std::string tls_error(CURLcode code) {
    const std::string text = details(code);
    if (std::string other = no_tls(verification_.first); !other.empty()) return other;
    constexpr std::string_view kAlert = "alert ";
    const size_t at = text.find(kAlert);
    if (at == text.npos) return text;
    std::string word = text.substr(at + kAlert.size());
    word = word.substr(0, word.find(','));
    for (auto [theirs, gos] : kAlerts) {
      if (word == theirs) word = gos;
    }
    return "remote error: tls: " + word;
  }

  // The system error that libcurl names at the end of its text: "..., errno 104". Zero: the connection ended.
  std::optional<int> system_error() const {
    constexpr std::string_view kMark = "SSL_ERROR_SYSCALL";
    const std::string_view text = details_;
    constexpr std::string_view kNumber = ", errno ";
    const size_t at = text.rfind(kNumber);
    const int number = at == text.npos ? 0 : number_at(text.substr(at + kNumber.size()));
    if (number != 0) return number;
    if (text.find("Connection reset by peer") != text.npos) return ECONNRESET;
    return text.find(kMark) == text.npos ? std::nullopt : std::optional<int>(0);
  }

  std::string read_text(int number) {
    return "read tcp " + address(curl_.get(), CURLINFO_LOCAL_IP, CURLINFO_LOCAL_PORT) + "->" +
           address(curl_.get(), CURLINFO_PRIMARY_IP, CURLINFO_PRIMARY_PORT) +
           ": read: " + system_text(number);
  }

  std::string details(CURLcode code) const {
    return details_[0] != '\0' ? details_ : libcurl().easy_strerror(code);
  }

  const HttpRequest& request_;
  std::unique_ptr<CURL, FreeCurl> curl_;
  List headers_, target_;
  std::string target_address_;  // the first that was tried
  Receiver receiver_;
  Verification verification_;
  char details_[CURL_ERROR_SIZE] = "";
};

// The text of a file; empty if it cannot be read, which libcurl tells.
std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Client : public chain::Asker {
 public:
  Client(const Options& options, Store roots) : options_(options), roots_(std::move(roots)) {}

  int64_t now() override {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  }
  void wait_until(int64_t time) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::max<int64_t>(0, time - now())));
  }
  HttpAnswer send(const HttpRequest& request, int64_t deadline) override {
    return Sending(options_, roots_.get(), request, deadline - now()).perform();
  }

 private:
  const Options& options_;
  Store roots_;
};

}  // namespace

Result<void> start() {
  if (!libcurl_error().empty()) return Error{"asking webhooks needs libcurl: " + libcurl_error()};
  return {};
}

Result<std::unique_ptr<chain::Asker>> make_client(const Options& options, std::string_view ca_bundle) {
  Result<Store> roots = trusted(ca_bundle);
  if (!roots.ok()) return roots.error();
  if (is_encrypted(text_of(options.client_key))) return Error{options.client_key + ": " + kEncryptedKey};
  return std::unique_ptr<chain::Asker>(std::make_unique<Client>(options, std::move(*roots)));
}

}  // namespace portcullis::http
