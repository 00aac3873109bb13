// The struct types of `request` and `namespaceObject`. The types of mutations are in patches.h.
//
// Idea: a field is one row {struct, name, type}. The types are made from the rows once.
// Source of behaviour: apiserver pkg/admission/plugin/cel/compile.go (BuildRequestType, BuildNamespaceType),
// pkg/cel/types.go (DeclTypeProvider).
#include <map>

#include "admission/expressions/environment.h"
#include "typecheck/signature.h"

namespace portcullis {
namespace {

constexpr TypeField kFields[] = {
    {"kubernetes.GroupVersionKind", "group", "string"},
    {"kubernetes.GroupVersionKind", "version", "string"},
    {"kubernetes.GroupVersionKind", "kind", "string"},
    {"kubernetes.GroupVersionResource", "group", "string"},
    {"kubernetes.GroupVersionResource", "version", "string"},
    {"kubernetes.GroupVersionResource", "resource", "string"},
    {"kubernetes.UserInfo", "username", "string"},
    {"kubernetes.UserInfo", "uid", "string"},
    {"kubernetes.UserInfo", "groups", "list(string)"},
    {"kubernetes.UserInfo", "extra", "map(string, list(string))"},
    {kRequestType, "kind", "kubernetes.GroupVersionKind"},
    {kRequestType, "resource", "kubernetes.GroupVersionResource"},
    {kRequestType, "subResource", "string"},
    {kRequestType, "requestKind", "kubernetes.GroupVersionKind"},
    {kRequestType, "requestResource", "kubernetes.GroupVersionResource"},
    {kRequestType, "requestSubResource", "string"},
    {kRequestType, "name", "string"},
    {kRequestType, "namespace", "string"},
    {kRequestType, "operation", "string"},
    {kRequestType, "userInfo", "kubernetes.UserInfo"},
    {kRequestType, "dryRun", "bool"},
    {kRequestType, "options", "dyn"},
    {"kubernetes.NamespaceSpec", "finalizers", "list(string)"},
    {"kubernetes.NamespaceCondition", "status", "string"},
    {"kubernetes.NamespaceCondition", "type", "string"},
    {"kubernetes.NamespaceCondition", "lastTransitionTime", "timestamp"},
    {"kubernetes.NamespaceCondition", "message", "string"},
    {"kubernetes.NamespaceCondition", "reason", "string"},
    {"kubernetes.NamespaceStatus", "conditions", "list(kubernetes.NamespaceCondition)"},
    {"kubernetes.NamespaceStatus", "phase", "string"},
    {"kubernetes.NamespaceMetadata", "name", "string"},
    {"kubernetes.NamespaceMetadata", "generateName", "string"},
    {"kubernetes.NamespaceMetadata", "namespace", "string"},
    {"kubernetes.NamespaceMetadata", "labels", "map(string, string)"},
    {"kubernetes.NamespaceMetadata", "annotations", "map(string, string)"},
    {"kubernetes.NamespaceMetadata", "UID", "string"},
    {"kubernetes.NamespaceMetadata", "creationTimestamp", "timestamp"},
    {"kubernetes.NamespaceMetadata", "deletionGracePeriodSeconds", "int"},
    {"kubernetes.NamespaceMetadata", "deletionTimestamp", "timestamp"},
    {"kubernetes.NamespaceMetadata", "generation", "int"},
    {"kubernetes.NamespaceMetadata", "resourceVersion", "string"},
    {"kubernetes.NamespaceMetadata", "finalizers", "list(string)"},
    {kNamespaceType, "metadata", "kubernetes.NamespaceMetadata"},
    {kNamespaceType, "spec", "kubernetes.NamespaceSpec"},
    {kNamespaceType, "status", "kubernetes.NamespaceStatus"},
};

class AdmissionTypes final : public TypeProvider {
 public:
  // Selects the types of `request`, of namespaceObject, or both.
  AdmissionTypes(bool of_request, bool of_namespace) {
    for (const TypeField& row : kFields) {
      if (!(row.structure.starts_with(kNamespaceType) ? of_namespace : of_request)) continue;
      Structure& structure = structures_[row.structure];
      if (!structure.type) structure.type = pool_.structure(row.structure);
      Result<const Type*> type = parse_type(row.type, pool_);
      if (type.ok()) structure.fields[row.field] = *type;
    }
  }

  const Type* find_struct(std::string_view name) const override {
    // Upstream's provider also knows simple types by name; these two are not names of types elsewhere.
    if (name == "timestamp") return types::kTimestamp;
    if (name == "duration") return types::kDuration;
    // These only matter for `int{a: 1}`, which has one more error if they are unknown.
    for (const Type* simple : {types::kBool, types::kBytes, types::kDouble, types::kInt, types::kNull,
                               types::kString, types::kUint, types::kListOfDyn, types::kMapOfDyn}) {
      if (simple->name() == name) return simple;
    }
    auto it = structures_.find(name);
    return it == structures_.end() ? nullptr : it->second.type;
  }

  const Type* find_field(std::string_view struct_name, std::string_view field) const override {
    if (struct_name == "map") return types::kAny;
    auto it = structures_.find(struct_name);
    if (it == structures_.end()) return nullptr;
    auto found = it->second.fields.find(field);
    return found == it->second.fields.end() ? nullptr : found->second;
  }

 private:
  struct Structure {
    const Type* type = nullptr;
    std::map<std::string_view, const Type*> fields;
  };
  TypePool pool_;
  std::map<std::string_view, Structure> structures_;
};

}  // namespace

std::span<const TypeField> admission_type_fields() { return kFields; }

const TypeProvider* admission_types() {
  static const AdmissionTypes types(true, true);
  return &types;
}
const TypeProvider* request_types() {
  static const AdmissionTypes types(true, false);
  return &types;
}
const TypeProvider* namespace_types() {
  static const AdmissionTypes types(false, true);
  return &types;
}

}  // namespace portcullis
