// See kubectl.h.
#include "manifests/kubectl.h"

namespace portcullis {

std::string_view field_manager(std::string_view given, Operation operation) {
  if (!given.empty()) return given;
  return operation == Operation::Update ? "kubectl-replace" : "kubectl-create";
}

Value request_options(Operation operation, std::string_view manager, Arena& arena) {
  std::string_view kind = operation == Operation::Create   ? "CreateOptions"
                          : operation == Operation::Update ? "UpdateOptions"
                                                           : "DeleteOptions";
  MapEntry* entries = alloc_entries(arena, 3);
  entries[0] = {Value::string("kind"), Value::string(kind)};
  entries[1] = {Value::string("apiVersion"), Value::string("meta.k8s.io/v1")};
  bool named = !manager.empty() && operation != Operation::Delete;
  if (named) entries[2] = {Value::string("fieldManager"), Value::string(manager)};
  return make_map(arena, entries, named ? 3 : 2);
}

}  // namespace portcullis
