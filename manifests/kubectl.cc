// See kubectl.h.
#include "manifests/kubectl.h"

#include <string>

#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// No less than the bytes of the value's JSON, without looking at texts.
size_t most_bytes(const Value& v) {
  constexpr size_t kOfByte = 6, kOfScalar = 32;  // \u003c; numbers are shorter
  size_t bytes = 2;
  switch (v.kind()) {
    case Kind::String: return bytes + v.as_text().size() * kOfByte;
    case Kind::List:
      for (const Value& item : v.as_list()) bytes += most_bytes(item) + 1;
      return bytes;
    case Kind::Map:
      for (const MapEntry& e : v.as_map()) bytes += most_bytes(e.key) + most_bytes(e.value) + 2;
      return bytes;
    default: return kOfScalar;
  }
}

}  // namespace

std::string_view field_manager(std::string_view given, Operation operation) {
  if (!given.empty()) return given;
  return operation == Operation::Update ? "kubectl-replace" : "kubectl-create";
}

std::string_view propagation_of(std::string_view cascade) {
  if (cascade == "background") return "Background";
  if (cascade == "foreground") return "Foreground";
  return cascade == "orphan" ? "Orphan" : "";
}

Value request_options(Operation operation, std::string_view subresource, const ClientOptions& given,
                      Arena& arena) {
  std::string_view kind = operation == Operation::Create   ? "CreateOptions"
                          : operation == Operation::Update ? "UpdateOptions"
                                                           : "DeleteOptions";
  MapEntry* entries = alloc_entries(arena, 6);
  size_t count = 0;
  entries[count++] = {Value::string("kind"), Value::string(kind)};
  entries[count++] = {Value::string("apiVersion"), Value::string("meta.k8s.io/v1")};
  if (given.dry_run) {
    const Value* all = arena.make<Value>(Value::string("All"));
    entries[count++] = {Value::string("dryRun"), Value::list(all, 1)};
  }
  const bool replaced =
      operation == Operation::Update && (subresource == "status" || subresource == "resize");
  const bool by_kubectl = subresource.empty() || replaced;
  const std::string_view manager =
      by_kubectl ? field_manager(given.field_manager, operation) : given.field_manager;
  if (operation == Operation::Delete) {
    if (given.grace_period)
      entries[count++] = {Value::string("gracePeriodSeconds"), Value::integer(*given.grace_period)};
    const std::string_view policy =
        given.propagation.empty() && by_kubectl ? "Background" : given.propagation;
    if (!policy.empty()) entries[count++] = {Value::string("propagationPolicy"), Value::string(policy)};
  } else {
    if (!manager.empty()) entries[count++] = {Value::string("fieldManager"), Value::string(manager)};
    if (by_kubectl) entries[count++] = {Value::string("fieldValidation"), Value::string("Strict")};
  }
  return make_map(entries, count);
}

size_t large_body(const Value& object) {
  if (most_bytes(object) < kMaxRequestBody) return 0;
  std::string text;
  JsonWriter(text, JsonEscape::Go).value(object);
  const size_t bytes = text.size() + 1;  // kubectl ends it with a line break
  return bytes > kMaxRequestBody ? bytes : 0;
}

Value without_managed_fields(Arena& arena, const Value& object) {
  const Value* metadata = find_member(object, "metadata");
  if (metadata == nullptr || find_member(*metadata, "managedFields") == nullptr) return object;
  return with_member(arena, object, "metadata", without_member(arena, *metadata, "managedFields"));
}

}  // namespace portcullis
