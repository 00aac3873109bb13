// See conflict.h.
#include "manifests/conflict.h"

#include <fmt/format.h>

#include "grammar/quote.h"
#include "interpreter/values/member.h"
#include "manifests/resources.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

std::string message_of(const AdmissionRequest& request, std::string_view why) {
  const GroupVersionResource& resource = request.resource;
  return fmt::format("Operation cannot be fulfilled on {}{}{} {}: {}", resource.resource,
                     resource.group.empty() ? "" : ".", resource.group, quote(request.name), why);
}

// The folder in which the API server stores the objects of a resource.
std::string stored_in(const GroupVersionResource& r) {
  struct Row {
    std::string_view group, resource, folder;
  };
  static constexpr Row kOthers[] = {{"", "endpoints", "services/endpoints"},
                                    {"", "nodes", "minions"},
                                    {"", "replicationcontrollers", "controllers"},
                                    {"", "services", "services/specs"},
                                    {"networking.k8s.io", "ingresses", "ingress"}};
  for (const Row& row : kOthers) {
    if (row.group == r.group && row.resource == r.resource) return std::string(row.folder);
  }
  const bool with_group = !Resources::is_closed(r.group) || r.group == "apiextensions.k8s.io" ||
                          r.group == "apiregistration.k8s.io";
  return with_group ? fmt::format("{}/{}", r.group, r.resource) : std::string(r.resource);
}

std::string other_uid(const AdmissionRequest& request, std::string_view now, std::string_view before) {
  const bool is_namespace = request.resource.group.empty() && request.resource.resource == "namespaces";
  std::string key = request.dry_run ? "/" : "/registry/";  // a dry run does not reach the store itself
  key.append(stored_in(request.resource)).append("/");
  if (!request.namespace_name.empty() && !is_namespace) key.append(request.namespace_name).append("/");
  return message_of(
      request, fmt::format("StorageError: invalid object, Code: 4, Key: {}{}, ResourceVersion: 0, "
                           "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object "
                           "meta: {}",
                           key, request.name, now, before));
}

}  // namespace

std::string modified_message(const AdmissionRequest& request) {
  return message_of(
      request, "the object has been modified; please apply your changes to the latest version and try again");
}

std::optional<Conflict> find_conflict(const AdmissionRequest& request, const Value& object,
                                      const Value& old) {
  const Value *sent = find_member(object, "metadata"), *stored = find_member(old, "metadata");
  if (request.operation != Operation::Update || sent == nullptr || stored == nullptr) return std::nullopt;
  for (std::string_view name : {"uid", "resourceVersion"}) {
    const std::string_view now = text_member(*sent, name), before = text_member(*stored, name);
    if (now.empty() || before.empty() || now == before) continue;
    const bool uid = name == "uid";
    Conflict out{.field = uid ? "metadata.uid" : "metadata.resourceVersion",
                 .message = uid ? other_uid(request, now, before) : modified_message(request),
                 .before_mutation = uid};
    const GroupVersionResource& resource = request.resource;
    out.status = status_json(
        {409, "Conflict", out.message, true, request.name, resource.group, resource.resource, {}});
    return out;
  }
  return std::nullopt;
}

}  // namespace portcullis
