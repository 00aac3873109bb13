// Asks webhooks over HTTPS, with libcurl and OpenSSL.
//
// Idea: libcurl speaks HTTP/1.1, resolves names and keeps time; OpenSSL checks certificates. What goes wrong is
// told with the texts of Go's net/http, crypto/tls and crypto/x509, since the API server's messages quote them.
// A call has a connection of its own.
// Source of behaviour: apiserver pkg/util/webhook/client.go, Go 1.26. Limits: kMaxBody; headers of 300 KB, and
// 100 KB a line, as libcurl has them; a redirected call of a service checks the name of the server it is
// redirected to. Tested by tests/http/run.py.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chain/exchange.h"
#include "grammar/result.h"

namespace portcullis::http {

// The largest body that is read. The API server reads to the end of its memory; AdmissionReviews with patches
// of the largest objects (etcd stores 1.5 MB) are far smaller.
inline constexpr size_t kMaxBody = size_t{16} << 20;

// Loads libcurl. To be called before make_client(). Thread-safe. An error says why this program can ask nobody: it was
// built without HTTP (Meson option `http`), or this machine has no libcurl.
Result<void> start();

struct Options {
  // Host of a URL and the address to connect to instead: {"name.namespace.svc", "127.0.0.1:8443"}.
  std::vector<std::pair<std::string, std::string>> addresses;
  // PEM files of the API server's client certificate and its key; both empty: none.
  std::string client_certificate, client_key;
};

// A client that trusts the certificates of `ca_bundle` (PEM), or those of the system if it is empty. `options`
// must outlive it. Thread-safe. An error is what the API server says behind `could not get REST client: `.
Result<std::unique_ptr<chain::Asker>> make_client(const Options& options, std::string_view ca_bundle);

}  // namespace portcullis::http
