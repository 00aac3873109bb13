// The client of a build without libcurl.
#include "http/client.h"

namespace portcullis::http {

bool available() { return false; }

Result<std::unique_ptr<chain::Asker>> make_client(const Options&, std::string_view) {
  return Error{"this build has no HTTP client (Meson option http)"};
}

}  // namespace portcullis::http
