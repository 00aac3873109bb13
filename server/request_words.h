// A request in the words of logs and metrics. Tested by tests/server/run.py.
#pragma once

#include <portcullis/admission.h>

#include <string>
#include <string_view>

namespace portcullis::server {

inline std::string_view operation_text(v1::Operation operation) {
  constexpr std::string_view kTexts[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};
  return kTexts[static_cast<size_t>(operation)];
}

// The resource as people write it: "deployments.apps/scale".
inline std::string resource_text(const v1::Request& r) {
  std::string out(r.resource.resource);
  if (!r.resource.group.empty()) out.append(".").append(r.resource.group);
  if (!r.subresource.empty()) out.append("/").append(r.subresource);
  return out;
}

}  // namespace portcullis::server
