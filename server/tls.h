// The certificate of the server and the ones that it trusts, and their exchange.
//
// Idea: each connection takes the context that is current when it is accepted; connections that stand keep
// theirs, and must end before the Certificates. A certificate that cannot be used does not replace the one in use.
// Tested by tests/server/files.py.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "server/log.h"
#include "server/metrics.h"
#include "server/options.h"

namespace boost::asio::ssl {
class context;
}

namespace portcullis::server {

class Certificates {
 public:
  Certificates(const Options& options, Log& log, Metrics& metrics)
      : options_(options), log_(log), metrics_(metrics) {}

  // Reads tls.crt, tls.key and the file of --client-ca-file. False, and the ones in use stay, if they cannot be
  // used; the log says why. Calls must not overlap.
  bool reload();
  // Null before the first are loaded. Thread-safe.
  std::shared_ptr<boost::asio::ssl::context> current() const;

 private:
  // Empty, or why the files cannot be used.
  std::string read(boost::asio::ssl::context& context, double& expires);
  // Whether clients with this common name are served; the log says it if not.
  bool admits(const std::string& name);

  const Options& options_;
  Log& log_;
  Metrics& metrics_;
  Sampler strangers_{10};
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> current_;
};

}  // namespace portcullis::server
