// See served.h. The table is served.inc.
#include "manifests/served.h"

namespace portcullis {
namespace {

constexpr ServedRow kRows[] = {
#include "manifests/served.inc"
};

}  // namespace

std::span<const ServedRow> served_rows() { return kRows; }

std::string operation_names(uint8_t operations) {
  std::string out;
  uint8_t rest = operations & (kWritten | kConnect);
  for (Operation o : kAllOperations) {
    uint8_t bit = operation_bit(o);
    if ((rest & bit) == 0) continue;
    rest &= static_cast<uint8_t>(~bit);
    out += (out.empty() ? "" : rest == 0 ? " and " : ", ") + std::string(operation_name(o));
  }
  return out.empty() ? "nothing" : out;
}

std::string name_of(const Served& s, bool qualified) {
  std::string out(s.resource);
  if (qualified && !s.group.empty()) out.append(".").append(s.group);
  if (!s.subresource.empty()) out.append("/").append(s.subresource);
  return out;
}

}  // namespace portcullis
