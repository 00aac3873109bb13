// See object_metadata.h.
#include "admission/policies/object_metadata.h"

#include <algorithm>

#include "admission/builtin/access.h"
#include "admission/builtin/registry.h"
#include "admission/policies/validation.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// What is checked of the metadata of a kind. An empty version or kind stands for all, an empty group is the core group.
struct KindRow {
  std::string_view group, version, kind;
  NameRule rule = NameRule::Subdomain;
  bool checks_finalizers = true;  // one without a domain must be one of Kubernetes' own
  bool needs_name = true;         // false: the server makes one
  size_t longest_name = 0;        // 0: as the rule says
  bool is_stored = true;
};
constexpr size_t kLongestCronJob = 52;  // its jobs have the name and eleven characters more
constexpr KindRow kKinds[] = {
    {.kind = "Namespace", .rule = NameRule::Label},
    {.kind = "Service", .rule = NameRule::Label},
    {.kind = "LimitRange", .needs_name = false},
    {.kind = "Event", .rule = NameRule::PathSegment, .checks_finalizers = false},
    {.group = "events.k8s.io",
     .version = "v1beta1",
     .kind = "Event",
     .rule = NameRule::PathSegment,
     .checks_finalizers = false},
    {.group = "apps", .kind = "StatefulSet", .rule = NameRule::Label},
    {.group = "batch", .kind = "CronJob", .longest_name = kLongestCronJob},
    {.group = "coordination.k8s.io", .checks_finalizers = false},
    {.group = "node.k8s.io", .checks_finalizers = false},
    {.group = "policy",
     .kind = "PodDisruptionBudget",
     .rule = NameRule::PathSegment,
     .checks_finalizers = false},
    {.group = "rbac.authorization.k8s.io", .rule = NameRule::PathSegment},
    {.group = "certificates.k8s.io", .kind = "CertificateSigningRequest", .rule = NameRule::PathSegment},
    {.group = "certificates.k8s.io", .kind = "ClusterTrustBundle", .rule = NameRule::PathSegment},
    {.group = "networking.k8s.io", .kind = "IPAddress", .rule = NameRule::PathSegment},
    {.group = "internal.apiserver.k8s.io", .kind = "StorageVersion", .rule = NameRule::PathSegment},
    {.group = "apiregistration.k8s.io",
     .kind = "APIService",
     .rule = NameRule::PathSegment,
     .checks_finalizers = false},
    {.group = kDefinitionGroup, .kind = "CustomResourceDefinition", .checks_finalizers = false},
    {.group = kRegistrationGroup, .checks_finalizers = false},
    {.group = "authentication.k8s.io", .is_stored = false},
    {.group = "authorization.k8s.io", .is_stored = false},
};
constexpr KindRow kUsual = {};

const KindRow& row_of(const GroupVersionKind& kind) {
  const auto row = std::ranges::find_if(kKinds, [&](const KindRow& r) {
    return r.group == kind.group && (r.version.empty() || r.version == kind.version) &&
           (r.kind.empty() || r.kind == kind.kind);
  });
  return row == std::end(kKinds) ? kUsual : *row;
}

// Source of behaviour: k8s.io/kubernetes pkg/apis/core/validation (validateKubeFinalizerName).
void check_finalizers(const Data& finalizers, FieldErrors& errors) {
  constexpr std::string_view kStandard[] = {"kubernetes", "orphan", "foregroundDeletion"};
  for (size_t i = 0; i < finalizers.size(); i++) {
    const std::string_view text = finalizers.items[i].text;
    if (text.find('/') != text.npos || std::ranges::find(kStandard, text) != std::end(kStandard)) continue;
    errors.invalid(index("metadata.finalizers", i), text,
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
}

bool is_plain_label(const MapEntry& e) {
  return e.value.is(Kind::String) && names::label_key(e.key.as_text()).empty() &&
         names::label_value(e.value.as_text()).empty();
}

// Whether metadata has only what most objects have, and all of it is right. False decides nothing. Most objects need
// not be decoded for their metadata to be checked.
bool is_plain(const Value& metadata, NameRule rule) {
  bool named = false;
  for (const MapEntry& e : metadata.as_map()) {
    const std::string_view member = e.key.as_text();
    const bool has_text = e.value.is(Kind::String) && e.value.size() > 0;
    if (member == "name" || member == "namespace") {
      if (!has_text) return false;
      const bool is_name = member == "name";
      if (!check_name(e.value.as_text(), is_name ? rule : NameRule::Label, false).empty()) return false;
      named |= is_name;
    } else if (member == "labels") {
      if (!e.value.is(Kind::Map) || !std::ranges::all_of(e.value.as_map(), is_plain_label)) return false;
    } else if (member == "generation") {
      if (!e.value.is(Kind::Int) || e.value.as_int() < 0) return false;
    } else if (member != "uid" && member != "creationTimestamp" && member != "resourceVersion") {
      return false;
    }
  }
  return named;
}

// Whether an update keeps what identifies the object.
bool is_same_object(const Value& metadata, const Value& old) {
  const Value* before = find_member(old, "metadata");
  return before != nullptr &&
         std::ranges::all_of(std::initializer_list<std::string_view>{"name", "namespace", "uid"},
                             [&](std::string_view member) {
                               return text_member(metadata, member) == text_member(*before, member);
                             });
}

// Adds the errors of an update. Files have no resourceVersion; the client of an update would send one.
void check_update(builtin::Object& metadata, builtin::Object& old, FieldErrors& errors) {
  builtin::set(metadata, "resourceVersion", Value::string("1"));
  validate_metadata_update(Data(metadata), Data(old), errors);
}

// The metadata of an object, with the namespace of the request if the object names none.
builtin::Object& metadata_of(Arena& arena, const Value& object, bool namespaced) {
  builtin::Object& metadata = metadata_of(arena, object);
  if (!namespaced)
    builtin::set(metadata, "namespace", builtin::absent());
  else if (builtin::text(metadata, "namespace").empty())
    builtin::set(metadata, "namespace", Value::string("default"));
  return metadata;
}

}  // namespace

builtin::Decoded decode_metadata(Arena& arena, const Value& metadata,
                                 std::vector<builtin::UnknownField>* unknown) {
  builtin::DecodeOptions options;
  options.unknown = unknown;
  return builtin::decode(arena, *builtin::find_struct(builtin::kObjectMeta), metadata, options);
}

builtin::Object& metadata_of(Arena& arena, const Value& object) {
  const Value* metadata = find_member(object, "metadata");
  return *decode_metadata(arena, metadata == nullptr ? Value::null() : *metadata).object;
}

void check_built_in_metadata(const GroupVersionKind& kind, const Value& object, const Value* old,
                             bool namespaced, FieldErrors& errors) {
  const KindRow& row = row_of(kind);
  if (!row.is_stored) return;
  const bool created = old == nullptr;
  const NameRule rule = created ? row.rule : NameRule::PathSegment;
  const Value* given = find_member(object, "metadata");
  if ((!created || row.longest_name == 0) && given != nullptr && given->is(Kind::Map) &&
      is_plain(*given, rule) && (created || is_same_object(*given, *old)))
    return;
  Arena arena;
  builtin::Object& metadata = metadata_of(arena, object, namespaced);
  const std::string_view prefix = builtin::text(metadata, "generateName");
  if (created && builtin::text(metadata, "name").empty()) {
    if (!prefix.empty() || !row.needs_name)
      builtin::set(metadata, "name", Value::string(builtin::generated_name(arena, prefix)));
  }
  const Data data(metadata);
  validate_metadata(data, rule, errors, namespaced);
  if (!created) check_update(metadata, metadata_of(arena, *old, namespaced), errors);
  if (row.checks_finalizers) check_finalizers(data["finalizers"], errors);
  if (!created) return;
  const std::string_view name = data.field_text("name");
  if (row.longest_name != 0 && name.size() > row.longest_name)
    errors.invalid("metadata.name", name,
                   "must be no more than " + std::to_string(row.longest_name) + " characters");
}

void check_metadata(const Value& object, const Value* old, bool namespaced, FieldErrors& common,
                    FieldErrors& errors) {
  Arena arena;
  builtin::Object& metadata = metadata_of(arena, object, namespaced);
  if (old == nullptr) return validate_metadata(Data(metadata), NameRule::Subdomain, errors, namespaced);
  builtin::Object& before = metadata_of(arena, *old, namespaced);
  validate_metadata(Data(metadata), NameRule::PathSegment, common, namespaced);
  check_update(metadata, before, common);
  check_update(metadata, before, errors);
}

}  // namespace portcullis
