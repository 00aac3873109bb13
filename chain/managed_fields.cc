#include "chain/managed_fields.h"

#include <fmt/format.h>

#include <string>

#include "admission/ownership/field_set.h"
#include "grammar/quote.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"
#include "manifests/object.h"

namespace portcullis::chain {
namespace {

constexpr std::string_view kManagedFields = "managedFields";

// Why the API server cannot read the entries; empty if it can.
std::string invalid_entries(const Value& list, Arena& arena) {
  for (size_t i = 0; list.is(Kind::List) && i < list.size(); i++) {
    const Value& entry = list.as_list()[i];
    const std::string_view operation = text_member(entry, "operation"),
                           type = text_member(entry, "fieldsType");
    if (operation != "Apply" && operation != "Update") return "operation must be `Apply` or `Update`";
    if (text_member(entry, "apiVersion").empty()) return "apiVersion must not be empty";
    if (type.empty()) return fmt::format("missing fieldsType in managed fields entry {}", i);
    if (type != "FieldsV1")
      return fmt::format("invalid fieldsType {} in managed fields entry {}", quote(type), i);
    const Value* fields = find_member(entry, "fieldsV1");
    ownership::FieldSet set;
    if (fields != nullptr && !fields->is_null() && !ownership::read_fields(arena, *fields, set))
      return "error decoding versioned set";
  }
  return {};
}

}  // namespace

void keep_valid_managed_fields(const AdmissionRequest& asked, Admission& admission) {
  if (!admission.allowed || !admission.changed) return;
  const Value* metadata = find_member(admission.object, "metadata");
  const Value* list = metadata == nullptr ? nullptr : find_member(*metadata, kManagedFields);
  if (list == nullptr) return;
  Arena& arena = admission.arena;
  const std::string why = invalid_entries(*list, arena);
  if (why.empty()) return;
  const Value* before = find_path(asked.object, "metadata.managedFields");
  const Value kept = before == nullptr ? without_member(arena, *metadata, kManagedFields)
                                       : with_member(arena, *metadata, kManagedFields, *before);
  admission.object = with_member(arena, admission.object, "metadata", kept);
  admission.changed = !same_data(admission.object, asked.object);
  admission.warnings.push_back(
      arena.copy(".metadata.managedFields was in an invalid state after admission; this could be caused by "
                 "an outdated mutating admission controller; please fix your requests: " +
                 why));
}

}  // namespace portcullis::chain
