// See kubectl.h.
#include "manifests/kubectl.h"

#include "admission/builtin/conversion.h"
#include "interpreter/values/member.h"

namespace portcullis {

std::string_view field_manager(std::string_view given, Operation operation) {
  if (!given.empty()) return given;
  return operation == Operation::Update ? "kubectl-replace" : "kubectl-create";
}

Value request_options(Operation operation, std::string_view subresource, std::string_view given, bool dry_run,
                      Arena& arena) {
  std::string_view kind = operation == Operation::Create   ? "CreateOptions"
                          : operation == Operation::Update ? "UpdateOptions"
                                                           : "DeleteOptions";
  MapEntry* entries = alloc_entries(arena, 5);
  size_t count = 0;
  entries[count++] = {Value::string("kind"), Value::string(kind)};
  entries[count++] = {Value::string("apiVersion"), Value::string("meta.k8s.io/v1")};
  if (dry_run) {
    const Value* all = arena.make<Value>(Value::string("All"));
    entries[count++] = {Value::string("dryRun"), Value::list(all, 1)};
  }
  const bool replaced =
      operation == Operation::Update && (subresource == "status" || subresource == "resize");
  const bool by_kubectl = subresource.empty() || replaced;
  const std::string_view manager = by_kubectl ? field_manager(given, operation) : given;
  if (operation == Operation::Delete) {
    if (by_kubectl) entries[count++] = {Value::string("propagationPolicy"), Value::string("Background")};
  } else {
    if (!manager.empty()) entries[count++] = {Value::string("fieldManager"), Value::string(manager)};
    if (by_kubectl) entries[count++] = {Value::string("fieldValidation"), Value::string("Strict")};
  }
  return make_map(arena, entries, count);
}

Value without_managed_fields(Arena& arena, const Value& object) {
  const Value* metadata = find_member(object, "metadata");
  if (metadata == nullptr || find_member(*metadata, "managedFields") == nullptr) return object;
  return builtin::with_member(arena, object, "metadata",
                              builtin::without_member(arena, *metadata, "managedFields"));
}

}  // namespace portcullis
