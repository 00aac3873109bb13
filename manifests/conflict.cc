// See conflict.h.
#include "manifests/conflict.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "admission/matching/matching.h"
#include "admission/objects/field_error.h"
#include "admission/scalars/group_version.h"
#include "grammar/quote.h"
#include "manifests/resources.h"

namespace portcullis {
namespace {

constexpr std::string_view kVersion = "metadata.resourceVersion";

// strconv.ParseUint. Returns why it fails, or nothing.
std::string_view parse_version(std::string_view text, uint64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc::result_out_of_range) return "value out of range";
  return error == std::errc() && end == text.data() + text.size() ? "" : "invalid syntax";
}

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
  const bool with_group =
      !Resources::is_closed(r.group) || r.group == kDefinitionGroup || r.group == "apiregistration.k8s.io";
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

// Whether the API server takes an update without resourceVersion, of whatever state.
bool allows_unconditional_update(const GroupVersionResource& r) {
  struct Row {
    std::string_view group, resource;  // no resource: all of the group
  };
  static constexpr Row kOthers[] = {{kRegistrationGroup, ""},
                                    {kDefinitionGroup, ""},
                                    {"apiregistration.k8s.io", ""},
                                    {"certificates.k8s.io", "clustertrustbundles"},
                                    {"certificates.k8s.io", "podcertificaterequests"},
                                    {"coordination.k8s.io", ""},
                                    {"internal.apiserver.k8s.io", ""},
                                    {"lifecycle.k8s.io", ""},
                                    {"node.k8s.io", ""},
                                    {"policy", "poddisruptionbudgets"},
                                    {"resource.k8s.io", "resourcepoolstatusrequests"},
                                    {"scheduling.k8s.io", "compositepodgroups"},
                                    {"scheduling.k8s.io", "podgroups"},
                                    {"scheduling.k8s.io", "workloads"},
                                    {"storage.k8s.io", "csidrivers"},
                                    {"storage.k8s.io", "csinodes"},
                                    {"storage.k8s.io", "csistoragecapacities"},
                                    {"storage.k8s.io", "volumeattachments"},
                                    {"storagemigration.k8s.io", ""}};
  return Resources::is_closed(r.group) && std::ranges::none_of(kOthers, [&](const Row& row) {
           return row.group == r.group && (row.resource.empty() || row.resource == r.resource);
         });
}

ServerRefusal conflict(const AdmissionRequest& request, std::string_view field, std::string message) {
  const GroupVersionResource& r = request.resource;
  ServerRefusal out{std::string(field), 409, "Conflict", std::move(message), {}};
  out.status = status_json({409, out.reason, out.message, true, request.name, r.group, r.resource, {}});
  return out;
}

// The text is no resourceVersion. It is an error in the server, not a Status.
ServerRefusal unreadable(std::string_view version, std::string_view why) {
  ServerRefusal out{std::string(kVersion), 500, {}, {}, {}};
  out.message = fmt::format("strconv.ParseUint: parsing {}: {}", quote(version), why);
  out.status = status_json({500, {}, out.message, false, {}, {}, {}, {}});
  return out;
}

// The server names the resource in place of the kind.
ServerRefusal unconditional(const AdmissionRequest& request) {
  const GroupVersionKind kind{request.resource.group, request.resource.version, request.resource.resource};
  FieldErrors errors;
  errors.invalid_number(std::string(kVersion), 0, "must be specified for an update");
  return {.field = std::string(kVersion),
          .code = 422,
          .reason = "Invalid",
          .message = invalid_message(kind, request.name, errors.list),
          .status = invalid_status(kind, request.name, errors.list)};
}

}  // namespace

Preconditions preconditions_of(const Value& object, const Value& old) {
  return {metadata_text(object, "uid"), metadata_text(old, "uid"), metadata_text(object, "resourceVersion"),
          metadata_text(old, "resourceVersion")};
}

std::string_view refused_version(const AdmissionRequest& a) {
  // A dry run stores nothing; reviews are not stored, either. The resourceVersion of a Binding is that of its Pod.
  if (a.operation != Operation::Create || !a.subresource.empty() || a.dry_run ||
      exempt_from_policies(a.resource) || a.kind == GroupVersionKind{"", "v1", "Binding"})
    return {};
  uint64_t number = 0;
  const bool set = parse_version(metadata_text(a.object, "resourceVersion"), number).empty() && number != 0;
  return set ? "resourceVersion should not be set on objects to be created" : "";
}

std::optional<ServerRefusal> find_uid_conflict(const AdmissionRequest& request, const Preconditions& known) {
  if (request.operation != Operation::Update || known.uid.empty() || known.old_uid.empty() ||
      known.uid == known.old_uid)
    return std::nullopt;
  return conflict(request, "metadata.uid", other_uid(request, known.uid, known.old_uid));
}

std::optional<ServerRefusal> find_version_conflict(const AdmissionRequest& request,
                                                   const Preconditions& known, const Value& mutated) {
  if (request.operation != Operation::Update) return std::nullopt;
  // A Scale without one has that of its resource.
  const bool may_lack = known.version.empty() || request.subresource == "scale";
  const std::string_view now = mutated.is_null() ? known.version : metadata_text(mutated, "resourceVersion");
  if (now.empty() && may_lack) return std::nullopt;
  uint64_t number = 0;
  if (!now.empty()) {
    if (std::string_view why = parse_version(now, number); !why.empty()) return unreadable(now, why);
  }
  if (number == 0) {
    if (allows_unconditional_update(request.resource)) return std::nullopt;
    return unconditional(request);
  }
  // If nobody says the stored one, mutations cannot know it.
  const std::string_view stored = known.old_version.empty() ? known.version : known.old_version;
  uint64_t before = 0;
  if (!stored.empty() && (!parse_version(stored, before).empty() || number == before)) return std::nullopt;
  return conflict(
      request, kVersion,
      message_of(
          request,
          "the object has been modified; please apply your changes to the latest version and try again"));
}

}  // namespace portcullis
