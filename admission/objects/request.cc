#include "admission/objects/request.h"

#include <algorithm>
#include <iterator>

#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr std::string_view kOperationNames[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};

constexpr std::string_view kAdministrators[] = {"system:masters", "system:authenticated"};
constexpr std::string_view kUnauthenticated[] = {"system:unauthenticated"};

}  // namespace

bool parse_operation(std::string_view text, Operation& out) {
  const auto* found = std::ranges::find(kOperationNames, text);
  if (found == std::end(kOperationNames)) return false;
  out = static_cast<Operation>(found - std::begin(kOperationNames));
  return true;
}

std::string unknown_operation(std::string_view text) {
  return "unknown operation " + quote_json(text) + "; want CREATE, UPDATE, DELETE or CONNECT";
}

std::string_view operation_name(Operation operation) { return kOperationNames[static_cast<int>(operation)]; }

UserInfo administrator() {
  return {.username = "kubernetes-admin", .uid = {}, .groups = kAdministrators, .extra = {}};
}

UserInfo anonymous() {
  return {.username = "system:anonymous", .uid = {}, .groups = kUnauthenticated, .extra = {}};
}

}  // namespace portcullis
