// The client of a build without libcurl.
#include "http/client.h"

namespace portcullis::http {

Result<void> start() { return Error{"this program was built without HTTP"}; }

Result<std::unique_ptr<chain::Asker>> make_client(const Options&, std::string_view) {
  return Error{"this build has no HTTP client (Meson option http)"};
}

}  // namespace portcullis::http
