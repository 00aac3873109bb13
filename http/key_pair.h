// Whether a certificate and a key are what a webhook server needs. A build without OpenSSL checks nothing.
// Tested by tests/server/manifests.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis::http {

struct PairCheck {
  std::string certificate_error, key_error;  // why the server could not use them; empty if it can
  std::vector<std::string> warnings;         // what an API server would say of the certificate
};

// What is said of a key that asks for a passphrase.
inline constexpr const char* kEncryptedKey = "keys with a passphrase are not read";
// For OpenSSL, in place of a question at a terminal; always fails. `asked`: a bool that notes the question; may be null.
int no_password(char*, int, int, void* asked);

// Whether a block of a PEM text is encrypted, so that OpenSSL would ask for its passphrase at a terminal.
inline bool is_encrypted(std::string_view pem) {
  return pem.find("BEGIN ENCRYPTED ") != pem.npos || pem.find(",ENCRYPTED") != pem.npos;
}

// Checks the first certificate of a PEM text, as the one of a server at `host`, and its key, PEM, too.
PairCheck check_pair(const std::string& certificate, const std::string& key, const std::string& host);

}  // namespace portcullis::http
