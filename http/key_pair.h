// Whether a certificate and a key are what a webhook server needs. A build without OpenSSL checks nothing.
// Tested by tests/server/manifests.py.
#pragma once

#include <string>
#include <vector>

namespace portcullis::http {

struct PairCheck {
  std::string certificate_error, key_error;  // why the server could not use them; empty if it can
  std::vector<std::string> warnings;         // what an API server would say of the certificate
};

// Checks the first certificate of a PEM text, as the one of a server at `host`, and its key, PEM, too.
PairCheck check_pair(const std::string& certificate, const std::string& key, const std::string& host);

}  // namespace portcullis::http
