// The warnings that a client of the API server receives: those of a request that fit into the headers of its answer.
//
// Each text is sent once. Empty texts, and those with control characters or broken UTF-8, are not sent; nor is what
// comes after 4,096 code points, for which each text is cut to 256 first. Source of behaviour: apiserver
// pkg/endpoints/filters/warning.go. Tested by chain/client_warnings_test.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace portcullis::chain {

struct ClientWarnings {
  std::vector<std::string> sent;        // as the client sees them
  std::vector<std::string> unsendable;  // not sent for what they have in them
  size_t beyond = 0;  // number of texts that are not sent because those before them are too long
  bool cut = false;   // whether texts are cut
};
ClientWarnings client_warnings(std::span<const std::string> warnings);

}  // namespace portcullis::chain
