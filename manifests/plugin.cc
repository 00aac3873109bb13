// See plugin.h.
#include "manifests/plugin.h"

#include <utility>

#include "admission/engine/loaded.h"
#include "admission/engine/scene.h"
#include "admission/policies/limit_ranges.h"
#include "admission/policies/pod_security.h"
#include "interpreter/values/arena.h"

namespace portcullis {
namespace {

ServerRefusal forbid(const AdmissionRequest& r, std::string_view why) {
  Arena arena;
  const std::string_view message = forbidden(r.resource, r.name, why, arena);
  const Status status{.code = 403,
                      .reason = "Forbidden",
                      .message = message,
                      .has_details = true,
                      .name = r.name,
                      .group = r.resource.group,
                      .kind = r.resource.resource,
                      .causes = {},
                      .missing_namespace = {}};
  return {"spec", status.code, status.reason, std::string(message), status_json(status)};
}

}  // namespace

PluginAnswer ask_plugins(const Engine& engine, const builtin::Surroundings* around,
                         const AdmissionRequest& r) {
  if (around != nullptr) {
    const std::string why = check_limit_ranges(r, around->limit_ranges(r.namespace_name));
    if (!why.empty()) return {forbid(r, why), "LimitRanger", {}};
  }
  constexpr std::string_view kPodSecurity = "PodSecurity";
  FieldErrors errors;
  check_pod_security_labels(r, errors);
  if (!errors.list.empty()) {
    return {ServerRefusal{errors.list[0].field, 422, "Invalid", invalid_message(r.kind, r.name, errors.list),
                          invalid_status(r.kind, r.name, errors.list)},
            kPodSecurity,
            {}};
  }
  const LoadedNamespace* space = engine.loaded().namespaces.find({{}, r.namespace_name});
  if (space == nullptr) return {};
  PodSecurityAnswer answer = check_pod_security(r, space->values.labels);
  PluginAnswer out{{}, kPodSecurity, std::move(answer.warning)};
  if (!answer.refusal.empty()) out.refusal = forbid(r, answer.refusal);
  return out;
}

}  // namespace portcullis
