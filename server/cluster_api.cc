// See cluster_api.h.
#include "server/cluster_api.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <exception>
#include <list>
#include <utility>
#include <vector>

#include "cli/reading/input.h"
#include "http/key_pair.h"

namespace portcullis::server {
namespace {

constexpr long kConnectSeconds = 10;
// A watch that is silent for longer is dead: bookmarks come about once a minute. A list must not stand still.
constexpr long kSilentWatch = 150, kSilentList = 30;
// When a connection without traffic is asked whether its other end lives, and how often.
constexpr long kKeepAliveIdle = 20, kKeepAliveInterval = 10;
constexpr unsigned kUserTimeout = 40'000;  // milliseconds until what is sent must be acknowledged

struct FreeCurl {
  void operator()(CURL* p) const { curl_easy_cleanup(p); }
  void operator()(curl_slist* p) const { curl_slist_free_all(p); }
};

int take_socket(void*, curl_socket_t socket, curlsocktype) {
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeout, sizeof kUserTimeout);
  return CURL_SOCKOPT_OK;
}

// Host and port of a URL, as CURLOPT_CONNECT_TO wants them.
std::string host_of(const std::string& url) {
  std::string rest = url.substr(url.find("://") + 3);
  rest = rest.substr(0, rest.find('/'));
  if (rest.rfind(':') == rest.npos || rest.ends_with(']')) rest += url.starts_with("https:") ? ":443" : ":80";
  return rest;
}

// A request under way.
struct Transfer {
  Receiver* to = nullptr;  // null: stopped
  std::unique_ptr<CURL, FreeCurl> curl{curl_easy_init()};
  std::unique_ptr<curl_slist, FreeCurl> headers, target;
  std::string authority, certificate, key;
  char details[CURL_ERROR_SIZE] = "";
  std::string error;  // why it was not sent
  bool begun = false;
  bool heard = false;  // something has arrived since the last step

  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(curl.get(), option, value);
  }
  void header(const std::string& line) { headers.reset(curl_slist_append(headers.release(), line.c_str())); }
  int status() const {
    long code = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }
};

// What a receiver says; no exception (memory) may pass libcurl, and the request ends instead.
bool pass_on(Transfer& t, std::string_view part) {
  try {
    return t.to != nullptr && t.to->data(t.status(), part);
  } catch (const std::exception&) {
    return false;
  }
}

// Whether the server has closed the connection (of an answer that has begun, or after the request). Of a connection that
// keep-alive finds dead nobody knows when it broke.
bool closed_by_server(CURLcode code, std::string_view error) {
  return (code == CURLE_RECV_ERROR || code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING) &&
         error.find("timed out") == error.npos;
}

// The end of the head of an answer, and its body.
size_t take_header(char* data, size_t, size_t size, void* to) {
  auto& t = *static_cast<Transfer*>(to);
  const std::string_view line(data, size);
  if (line != "\r\n" && line != "\n") return size;
  const int status = t.status();
  if (status < 200 || t.begun || t.to == nullptr) return size;
  t.begun = t.heard = true;
  return pass_on(t, {}) ? size : 0;
}
size_t take_body(char* data, size_t, size_t size, void* to) {
  auto& t = *static_cast<Transfer*>(to);
  t.heard = true;
  return pass_on(t, {data, size}) ? size : 0;
}

}  // namespace

struct ClusterApi::State {
  const ClusterAccess access;
  CURLM* multi = nullptr;
  std::list<Transfer> transfers;

  explicit State(const ClusterAccess& given) : access(given) {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)started;
    multi = curl_multi_init();
  }
  ~State() {
    for (Transfer& t : transfers) curl_multi_remove_handle(multi, t.curl.get());
    transfers.clear();
    curl_multi_cleanup(multi);
  }

  // The text of a PEM, which may be in a file. What cannot be read is the error of the request.
  std::string text_of(const Pem& pem, Transfer& t) {
    return pem.file.empty() ? pem.text : file_text(pem.file, t);
  }
  std::string file_text(const std::string& file, Transfer& t) {
    Result<std::string> text = read_file(file);
    if (text.ok()) return std::move(*text);
    t.error = file + ": " + text.error().text;
    return {};
  }

  void secure(Transfer& t) {
    auto blob = [&](CURLoption option, const Pem& pem, std::string& text) {
      if (!pem.given()) return;
      text = text_of(pem, t);
      if (portcullis::http::is_encrypted(text)) {
        t.error = pem.file + (pem.file.empty() ? "" : ": ") + portcullis::http::kEncryptedKey;
        return;
      }
      curl_blob given{text.data(), text.size(), CURL_BLOB_NOCOPY};
      t.set(option, &given);
    };
    if (access.authority.given()) {
      t.set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));
      t.set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    }
    blob(CURLOPT_CAINFO_BLOB, access.authority, t.authority);
    blob(CURLOPT_SSLCERT_BLOB, access.certificate, t.certificate);
    blob(CURLOPT_SSLKEY_BLOB, access.key, t.key);
    t.set(CURLOPT_KEYPASSWD, "");  // instead of a question at the terminal
    t.set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    t.set(CURLOPT_SSL_VERIFYPEER, access.insecure ? 0L : 1L);
    t.set(CURLOPT_SSL_VERIFYHOST, access.insecure ? 0L : 2L);
  }

  void identify(Transfer& t) {
    std::string token = access.token_file.empty() ? access.token : file_text(access.token_file, t);
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' '))
      token.pop_back();
    if (token.find_first_of(std::string_view("\r\n\0", 3)) != token.npos)
      t.error = "the token has a line break";
    if (!access.token_file.empty() && token.empty() && t.error.empty())
      t.error = access.token_file + " is empty";
    if (!token.empty()) t.header("Authorization: Bearer " + token);
    if (!access.username.empty()) {
      t.set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
      t.set(CURLOPT_USERNAME, access.username.c_str());
      t.set(CURLOPT_PASSWORD, access.password.c_str());
    }
    for (const auto& [name, value] : access.headers) t.header(name + ": " + value);
  }

  // The URL; with another name in the certificate, that name, whose address is the server's.
  void address(Transfer& t, const Request& request) {
    std::string url = access.server;
    const std::string host = host_of(url);
    if (!access.server_name.empty()) {
      const size_t at = url.find("://") + 3;
      url.replace(at, std::min(url.find('/', at), url.size()) - at, access.server_name);
      t.target.reset(curl_slist_append(nullptr, ("::" + host).c_str()));
      t.set(CURLOPT_CONNECT_TO, t.target.get());
      t.header("Host: " + host);
    }
    t.set(CURLOPT_URL, (url + request.target).c_str());
    const bool local =
        host.starts_with("localhost:") || host.starts_with("127.") || host.starts_with("[::1]");
    if (!access.proxy.empty()) {
      t.set(CURLOPT_PROXY, access.proxy.c_str());
    } else if (local) {
      t.set(CURLOPT_PROXY, "");  // as in Go
    }
  }

  void limit(Transfer& t, const Request& request) {
    t.set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    t.set(CURLOPT_TIMEOUT, static_cast<long>(request.timeout.count()));
    t.set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    t.set(CURLOPT_LOW_SPEED_TIME, request.watch ? kSilentWatch : kSilentList);
    t.set(CURLOPT_TCP_KEEPALIVE, 1L);
    t.set(CURLOPT_TCP_KEEPIDLE, kKeepAliveIdle);
    t.set(CURLOPT_TCP_KEEPINTVL, kKeepAliveInterval);
    t.set(CURLOPT_SOCKOPTFUNCTION, take_socket);
  }

  void prepare(Transfer& t, const Request& request) {
    t.set(CURLOPT_PRIVATE, &t);
    t.set(CURLOPT_ERRORBUFFER, t.details);
    t.set(CURLOPT_PROTOCOLS_STR, "http,https");
    t.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    t.set(CURLOPT_NOSIGNAL, 1L);
    t.set(CURLOPT_HEADERFUNCTION, take_header);
    t.set(CURLOPT_HEADERDATA, &t);
    t.set(CURLOPT_WRITEFUNCTION, take_body);
    t.set(CURLOPT_WRITEDATA, &t);
    t.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    t.set(CURLOPT_USERAGENT, "portcullis-server");
    if (!request.watch) t.set(CURLOPT_ACCEPT_ENCODING, "gzip");
    t.header("Accept: application/json");
    address(t, request);
    secure(t);
    identify(t);
    limit(t, request);
    t.set(CURLOPT_HTTPHEADER, t.headers.get());
  }

  void finish(Transfer* t, std::string error) {
    curl_off_t wait = 0;
    curl_easy_getinfo(t->curl.get(), CURLINFO_RETRY_AFTER, &wait);
    const int status = t->status();
    Receiver* to = t->to;
    curl_multi_remove_handle(multi, t->curl.get());
    transfers.remove_if([&](const Transfer& other) { return &other == t; });
    if (to != nullptr)
      to->ended(status, std::move(error), std::chrono::seconds(std::min<curl_off_t>(wait, 3600)));
  }
};

ClusterApi::ClusterApi(const ClusterAccess& access) : state_(std::make_unique<State>(access)) {}
ClusterApi::~ClusterApi() = default;

void ClusterApi::get(const Request& request, Receiver& to) {
  Transfer& t = state_->transfers.emplace_back();
  t.to = &to;
  state_->prepare(t, request);
  if (t.error.empty()) curl_multi_add_handle(state_->multi, t.curl.get());
}

void ClusterApi::stop(Receiver& to) {
  for (auto it = state_->transfers.begin(); it != state_->transfers.end();) {
    auto here = it++;
    if (here->to != &to) continue;
    curl_multi_remove_handle(state_->multi, here->curl.get());
    state_->transfers.erase(here);
  }
}

void ClusterApi::step(std::chrono::milliseconds at_most) {
  std::vector<Transfer*> unsent;
  for (Transfer& t : state_->transfers) {
    if (!t.error.empty()) unsent.push_back(&t);
  }
  for (Transfer* t : unsent) state_->finish(t, std::string(t->error));
  int running = 0, left = 0;
  curl_multi_perform(state_->multi, &running);
  std::vector<std::pair<Transfer*, CURLcode>> done;
  while (CURLMsg* message = curl_multi_info_read(state_->multi, &left)) {
    void* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    done.emplace_back(static_cast<Transfer*>(transfer), message->data.result);
  }
  for (auto [t, code] : done) {
    std::string error;
    if (code != CURLE_OK) error = t->details[0] != '\0' ? t->details : curl_easy_strerror(code);
    if (t->to != nullptr && closed_by_server(code, error)) t->to->closed();
    state_->finish(t, std::move(error));
  }
  bool heard = !unsent.empty() || !done.empty();
  for (Transfer& t : state_->transfers) heard |= std::exchange(t.heard, false);
  if (heard) return;
  curl_multi_poll(state_->multi, nullptr, 0, static_cast<int>(at_most.count()), nullptr);
}

void ClusterApi::wake() { curl_multi_wakeup(state_->multi); }

}  // namespace portcullis::server
