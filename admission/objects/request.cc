#include "admission/objects/request.h"

#include <algorithm>
#include <iterator>

namespace portcullis {
namespace {

constexpr std::string_view kOperationNames[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};

}  // namespace

bool parse_operation(std::string_view text, Operation& out) {
  const auto* found = std::ranges::find(kOperationNames, text);
  if (found == std::end(kOperationNames)) return false;
  out = static_cast<Operation>(found - std::begin(kOperationNames));
  return true;
}

std::string_view operation_name(Operation operation) { return kOperationNames[static_cast<int>(operation)]; }

}  // namespace portcullis
