// Validation of RBAC objects: see rbac_validation.h.
#include "admission/policies/rbac_validation.h"

#include <span>
#include <string>

#include "admission/authorization/rbac_objects.h"
#include "admission/builtin/access.h"
#include "admission/builtin/decode.h"
#include "admission/policies/validation.h"
#include "admission/scalars/names.h"
#include "interpreter/values/member.h"

namespace portcullis::rbac {
namespace {

// Decodes a part of the object into the struct that the shared rules take.
builtin::Object& part_of(Arena& arena, const Value* part, std::string_view type) {
  return *builtin::decode(arena, *builtin::find_struct(type), part == nullptr ? Value::null() : *part, {})
              .object;
}

class Validation {
 public:
  explicit Validation(const Value& object) : object_(object) {}

  std::vector<FieldError> run() {
    std::string_view kind = text_member(object_, "kind");
    in_namespace_ = !kind.starts_with("Cluster");
    metadata();
    if (kind.ends_with("Binding")) {
      role_ref();
      subjects();
    } else {
      std::span<const Value> rules = list_member(object_, "rules");
      for (size_t i = 0; i < rules.size(); i++) rule(rules[i], index("rules", i));
      if (!in_namespace_) aggregation();
    }
    return std::move(errors_.list);
  }

 private:
  void metadata() {
    builtin::Object& meta = part_of(arena_, find_member(object_, "metadata"), builtin::kObjectMeta);
    if (!in_namespace_) builtin::set(meta, "namespace", builtin::absent());
    validate_metadata(Data(meta), NameRule::PathSegment, errors_, in_namespace_);
  }

  void rule(const Value& rule, const std::string& path) {
    auto none = [&](std::string_view field) { return list_member(rule, field).empty(); };
    if (none("verbs")) errors_.required(child(path, "verbs"));
    if (!none("nonResourceURLs")) {
      const Value& urls = *find_member(rule, "nonResourceURLs");
      if (in_namespace_) {
        errors_.invalid_data(child(path, "nonResourceURLs"), urls,
                             "namespaced rules cannot apply to non-resource URLs");
      }
      if (!none("apiGroups") || !none("resources") || !none("resourceNames")) {
        errors_.invalid_data(child(path, "nonResourceURLs"), urls,
                             "rules cannot apply to both regular resources and non-resource URLs");
      }
      return;
    }
    if (none("apiGroups"))
      errors_.required(child(path, "apiGroups"), "resource rules must supply at least one api group");
    if (none("resources"))
      errors_.required(child(path, "resources"), "resource rules must supply at least one resource");
  }

  void aggregation() {
    const Value* aggregation = find_member(object_, "aggregationRule");
    if (aggregation == nullptr || !aggregation->is(Kind::Map)) return;
    const std::string path = "aggregationRule.clusterRoleSelectors";
    std::span<const Value> selectors = list_member(*aggregation, "clusterRoleSelectors");
    if (selectors.empty()) {
      errors_.required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    }
    for (size_t i = 0; i < selectors.size(); i++) {
      const size_t before = errors_.list.size();
      validate_label_selector(Data(part_of(arena_, &selectors[i], builtin::kLabelSelector)), false,
                              index(path, i), errors_);
      if (errors_.list.size() > before)
        errors_.invalid_json(index(path, i), "null", "invalid label selector.");
    }
  }

  void role_ref() {
    const Value* given = find_member(object_, "roleRef");
    const Value ref = given == nullptr ? Value() : *given;
    std::string_view group = text_member(ref, "apiGroup"), kind = text_member(ref, "kind"),
                     name = text_member(ref, "name");
    if (group != kGroup) errors_.not_among("roleRef.apiGroup", Value::string(group), {std::string(kGroup)});
    if (in_namespace_ && kind != "Role" && kind != "ClusterRole")
      errors_.not_among("roleRef.kind", Value::string(kind), {"Role", "ClusterRole"});
    if (!in_namespace_ && kind != "ClusterRole")
      errors_.not_among("roleRef.kind", Value::string(kind), {"ClusterRole"});
    if (name.empty()) errors_.required("roleRef.name");
    for (const std::string& message : names::path_segment(name))
      errors_.invalid("roleRef.name", name, message);
  }

  void subjects() {
    std::span<const Value> subjects = list_member(object_, "subjects");
    for (size_t i = 0; i < subjects.size(); i++) subject(subjects[i], index("subjects", i));
  }

  void subject(const Value& subject, const std::string& path) {
    std::string_view kind = text_member(subject, "kind"), name = text_member(subject, "name"),
                     group = text_member(subject, "apiGroup");
    if (name.empty()) errors_.required(child(path, "name"));
    if (kind == "ServiceAccount") {
      if (!name.empty()) {
        for (const std::string& message : names::dns1123_subdomain(name))
          errors_.invalid(child(path, "name"), name, message);
      }
      if (!group.empty()) errors_.not_among(child(path, "apiGroup"), Value::string(group), {""});
      if (!in_namespace_ && text_member(subject, "namespace").empty())
        errors_.required(child(path, "namespace"));
    } else if (kind == "User" || kind == "Group") {
      if (group != kGroup)
        errors_.not_among(child(path, "apiGroup"), Value::string(group), {std::string(kGroup)});
    } else {
      errors_.not_among(child(path, "kind"), Value::string(kind), {"ServiceAccount", "User", "Group"});
    }
  }

  const Value& object_;
  bool in_namespace_ = false;
  Arena arena_;
  FieldErrors errors_;
};

}  // namespace

std::vector<FieldError> validate(const Value& object) { return Validation(object).run(); }

}  // namespace portcullis::rbac
