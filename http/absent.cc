// The client of a build without libcurl or OpenSSL, and its checks.
#include "http/client.h"
#include "http/key_pair.h"

namespace portcullis::http {

Result<void> start() { return Error{"this program was built without HTTP"}; }

Result<std::unique_ptr<chain::Asker>> make_client(const Options&, std::string_view) {
  return Error{"this build has no HTTP client (Meson option http)"};
}

int no_password(char*, int, int, void*) { return -1; }
PairCheck check_pair(const std::string&, const std::string&, const std::string&) { return {}; }

}  // namespace portcullis::http
