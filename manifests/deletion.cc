#include "manifests/deletion.h"

#include "admission/scalars/group_version.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/member.h"
#include "manifests/object.h"

namespace portcullis {
namespace {

constexpr std::string_view kGracePeriod = "gracePeriodSeconds", kPreconditions = "preconditions";

// The number at the path; `otherwise` if there is none.
int64_t number_at(const Value& object, std::string_view path, int64_t otherwise) {
  const Value* found = find_path(object, path);
  return found != nullptr && found->is(Kind::Int) ? found->as_int() : otherwise;
}

std::string_view text_at_path(const Value& object, std::string_view path) {
  const Value* found = find_path(object, path);
  return found != nullptr && found->is(Kind::String) ? found->as_text() : std::string_view();
}

Value with_grace_period(const Value& options, const Value& pod, Arena& arena) {
  constexpr int64_t kNone = -1;
  const int64_t given = number_at(options, kGracePeriod, kNone);
  if (!text_at_path(pod, "metadata.deletionTimestamp").empty()) {
    const int64_t held = number_at(pod, "metadata.deletionGracePeriodSeconds", 0);
    return held == 0 || given != kNone ? options
                                       : with_member(arena, options, kGracePeriod, Value::integer(held));
  }
  int64_t period = given != kNone ? given : number_at(pod, "spec.terminationGracePeriodSeconds", 0);
  const std::string_view phase = text_at_path(pod, "status.phase");
  if (text_at_path(pod, "spec.nodeName").empty() || phase == "Failed" || phase == "Succeeded") period = 0;
  if (period < 0) period = 1;
  return with_member(arena, options, kGracePeriod, Value::integer(period));
}

Value with_uid(const Value& options, const Value& object, Arena& arena) {
  const Value* held = find_member(options, kPreconditions, Kind::Map);
  if (held != nullptr && find_member(*held, "uid") != nullptr) return options;
  const Value preconditions = with_member(arena, held == nullptr ? make_map(nullptr, 0) : *held, "uid",
                                          Value::string(text_at_path(object, "metadata.uid")));
  return with_member(arena, options, kPreconditions, preconditions);
}

}  // namespace

Value complete_deletion_options(const AdmissionRequest& a, Arena& arena) {
  if (!a.subresource.empty() || !a.options.is(Kind::Map)) return a.options;
  const bool core = a.resource.group.empty();
  if (core && a.resource.resource == "pods") return with_grace_period(a.options, a.old_object, arena);
  if ((core && a.resource.resource == "namespaces") ||
      (a.resource.group == kDefinitionGroup && a.resource.resource == "customresourcedefinitions"))
    return with_uid(a.options, a.old_object, arena);
  return a.options;
}

}  // namespace portcullis
