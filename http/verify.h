// Checks of a server's certificate, with the texts of Go's crypto/x509.
// Source of behaviour: Go 1.26 crypto/x509 verify.go. Limits: of several faults, one is told: the time, then the
// name, then the chain. Tested by tests/http/run.py.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "grammar/result.h"

namespace portcullis::http {

struct FreeStore {
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
};
using Store = std::unique_ptr<X509_STORE, FreeStore>;

// The certificates of `bundle` (PEM), or of the system if it is empty. An error is that of client-go.
Result<Store> trusted(std::string_view bundle);

// What a handshake checks, and what it found.
struct Verification {
  X509_STORE* roots = nullptr;
  std::string host;   // of the URL: a name, or an address without brackets
  std::string error;  // "x509: certificate signed by unknown authority"; empty if the certificate is right
  // The first bytes that the server sent, where the header of a record must be; empty: none came.
  std::string first;
};

// Makes handshakes of `context` check the server by `verification`, which must outlive them.
void check_server(SSL_CTX* context, Verification& verification);

}  // namespace portcullis::http
