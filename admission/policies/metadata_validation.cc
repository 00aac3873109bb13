// Validation of metadata: labels, annotations, owners, finalizers, managed fields; on create and on update.
// Source of behaviour: apimachinery pkg/api/validation/objectmeta.go. Tested by
// tests/oracle/mutate_policies.py, tests/admission.
#include <fmt/format.h>

#include "admission/policies/validation.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/names.h"
#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "grammar/utf8.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr size_t kAnnotationsSizeLimit = 256 * 1024;  // bytes of all keys and values together
constexpr size_t kFieldManagerMaxLength = 128;
constexpr size_t kSubresourceMaxLength = 256;
constexpr std::string_view kImmutable = "field is immutable";

void validate_labels(const Data& labels, const std::string& path, FieldErrors& errors) {
  for (const auto& [key, value] : labels.sorted_texts()) {
    validate_qualified_name(key, path, errors);
    for (const std::string& message : names::label_value(value)) errors.invalid(path, value, message);
  }
}

void validate_annotations(const Data& annotations, const std::string& path, FieldErrors& errors) {
  size_t size = 0;
  for (const auto& [key, value] : annotations.sorted_texts()) {
    for (const std::string& message : names::label_key(lower_case(key))) errors.invalid(path, key, message);
    size += key.size() + value.size();
  }
  if (size > kAnnotationsSizeLimit) errors.too_long(path, kAnnotationsSizeLimit);
}

void validate_owner(const Data& owner, const std::string& path, FieldErrors& errors) {
  const auto [group, version, well_formed] = split_api_version(owner.field_text("apiVersion"));
  if (owner.field_text("apiVersion").empty()) {
    errors.required(child(path, "apiVersion"), "must not be empty");
  } else if (!well_formed || version.empty()) {
    errors.invalid(child(path, "apiVersion"), owner.field_text("apiVersion"),
                   "must be <group>/<version> or <version>");
  }
  for (std::string_view field : {"kind", "name", "uid"}) {
    if (owner.field_text(field).empty()) errors.required(child(path, field), "must not be empty");
  }
  if (group.empty() && version == "v1" && owner.field_text("kind") == "Event") {
    errors.invalid_json(path, go_json(owner), "/v1, Kind=Event is disallowed from being an owner");
  }
}

void validate_owners(const Data& owners, const std::string& path, FieldErrors& errors) {
  constexpr size_t kMostText = 1 << 20;  // of the errors below, each of which has the text of all owners
  std::string controller, all;
  size_t text = 0;
  for (size_t i = 0; i < owners.size(); i++) {
    const Data& owner = owners.items[i];
    validate_owner(owner, index(path, i), errors);
    if (!owner["controller"].flag) continue;
    std::string name = fmt::format("{}/{}", owner.field_text("kind"), owner.field_text("name"));
    if (controller.empty()) {
      controller = name;
      continue;
    }
    if (text > kMostText) break;
    if (all.empty()) {
      for (const Data& o : owners.items) all += (all.empty() ? "[" : ",") + go_json(o);
      all += "]";
    }
    text += all.size();
    errors.invalid_json(
        path, all,
        fmt::format(
            "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}",
            controller, name));
  }
}

void validate_finalizers(const Data& finalizers, const std::string& path, FieldErrors& errors) {
  bool orphan = false, foreground = false;
  for (const Data& item : finalizers.items) {
    for (const std::string& message : names::label_key(item.text)) errors.invalid(path, item.text, message);
    orphan |= item.text == "orphan";
    foreground |= item.text == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors.invalid_json(path, strings_json(finalizers),
                        "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

// unicode.IsPrint and strconv.IsPrint are the same function.
void validate_field_manager(std::string_view manager, const std::string& path, FieldErrors& errors) {
  if (manager.size() > kFieldManagerMaxLength) errors.too_long(path, kFieldManagerMaxLength);
  for (size_t at = 0; at < manager.size();) {
    utf8::Rune rune = utf8::decode(manager.substr(at));
    if (!is_printable(rune.value)) {
      errors.invalid(
          path, manager,
          fmt::format("invalid character U+{:04X} (at position {})", static_cast<uint32_t>(rune.value), at));
    }
    at += rune.size;
  }
}

void validate_managed_fields(const Data& list, const std::string& path, FieldErrors& errors) {
  for (size_t i = 0; i < list.size(); i++) {
    const Data& entry = list.items[i];
    std::string at = index(path, i);
    std::string_view operation = entry.field_text("operation"), type = entry.field_text("fieldsType");
    if (operation.empty()) {
      errors.required(child(at, "operation"), "must not be empty");
    } else if (operation != "Apply" && operation != "Update") {
      errors.not_supported(child(at, "operation"), operation, {"Apply", "Update"});
    }
    if (!type.empty() && type != "FieldsV1")
      errors.invalid(child(at, "fieldsType"), type, "must be `FieldsV1`");
    validate_field_manager(entry.field_text("manager"), child(at, "manager"), errors);
    if (entry.field_text("subresource").size() > kSubresourceMaxLength) {
      errors.too_long(child(at, "subresource"), kSubresourceMaxLength);
    }
  }
}

// An immutable field; `json` is the new value as the message shows it.
void immutable(bool same, std::string path, std::string_view json, FieldErrors& errors) {
  if (!same) errors.invalid_json(std::move(path), json, kImmutable);
}
void immutable_text(std::string_view now, std::string_view before, std::string path, FieldErrors& errors) {
  if (now != before) errors.invalid(std::move(path), now, kImmutable);
}

std::string time_json(const Data& time) { return time.set ? quote_json(time.text) : "null"; }

}  // namespace

names::Messages check_name(std::string_view name, NameRule rule, bool prefix) {
  if (rule != NameRule::PathSegment) {
    const std::string masked = prefix ? names::mask_trailing_dash(name) : std::string(name);
    return rule == NameRule::Label ? names::dns1123_label(masked) : names::dns1123_subdomain(masked);
  }
  names::Messages messages = names::path_segment(name);
  // The prefix of a generated name may be "." or "..".
  if (prefix && (name == "." || name == "..")) messages.clear();
  return messages;
}

void validate_qualified_name(std::string_view name, const std::string& path, FieldErrors& errors) {
  for (const std::string& message : names::label_key(name)) errors.invalid(path, name, message);
}

void validate_label_selector(const Data& selector, bool allow_invalid_values, const std::string& path,
                             FieldErrors& errors) {
  validate_labels(selector["matchLabels"], child(path, "matchLabels"), errors);
  const Data& expressions = selector["matchExpressions"];
  for (size_t i = 0; i < expressions.size(); i++) {
    const Data& e = expressions.items[i];
    std::string at = index(child(path, "matchExpressions"), i);
    std::string_view op = e.field_text("operator");
    const Data& values = e["values"];
    if (op == "In" || op == "NotIn") {
      if (values.size() == 0)
        errors.required(child(at, "values"), "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (values.size() > 0) {
        errors.forbidden(child(at, "values"),
                         "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else {
      errors.invalid_named(child(at, "operator"), op, "not a valid selector operator");
    }
    validate_qualified_name(e.field_text("key"), child(at, "key"), errors);
    if (allow_invalid_values) continue;
    for (size_t j = 0; j < values.size(); j++) {
      std::string_view value = values.items[j].text;
      for (const std::string& message : names::label_value(value))
        errors.invalid(index(child(at, "values"), j), value, message);
    }
  }
}

void validate_metadata(const Data& meta, NameRule rule, FieldErrors& errors, bool namespaced,
                       bool generation) {
  std::string_view generate = meta.field_text("generateName"), name = meta.field_text("name");
  if (!generate.empty()) {
    for (const std::string& message : check_name(generate, rule, true))
      errors.invalid("metadata.generateName", generate, message);
  }
  if (name.empty()) {
    errors.required("metadata.name", "name or generateName is required");
  } else {
    for (const std::string& message : check_name(name, rule, false))
      errors.invalid("metadata.name", name, message);
  }
  std::string_view space = meta.field_text("namespace");
  if (!namespaced && !space.empty()) errors.forbidden("metadata.namespace", "not allowed on this type");
  if (namespaced && space.empty()) errors.required("metadata.namespace");
  if (namespaced && !space.empty()) {
    for (const std::string& message : names::dns1123_label(space))
      errors.invalid("metadata.namespace", space, message);
  }
  if (generation && meta["generation"].number < 0) {
    errors.invalid_number("metadata.generation", meta["generation"].number,
                          "must be greater than or equal to 0");
  }
  validate_labels(meta["labels"], "metadata.labels", errors);
  validate_annotations(meta["annotations"], "metadata.annotations", errors);
  validate_owners(meta["ownerReferences"], "metadata.ownerReferences", errors);
  validate_finalizers(meta["finalizers"], "metadata.finalizers", errors);
  validate_managed_fields(meta["managedFields"], "metadata.managedFields", errors);
}

void validate_metadata_update(const Data& meta, const Data& old, FieldErrors& errors) {
  if (old["deletionTimestamp"].set) {
    std::set<std::string_view> extra;
    for (const Data& item : meta["finalizers"].items) extra.insert(item.text);
    for (const Data& item : old["finalizers"].items) extra.erase(item.text);
    std::string list;
    for (std::string_view f : extra) list += (list.empty() ? "" : ", ") + quote(f);
    if (!extra.empty()) {
      errors.forbidden("metadata.finalizers",
                       fmt::format("no new finalizers can be added if the object is being deleted, found new "
                                   "finalizers []string{{{}}}",
                                   list));
    }
  }
  if (meta.field_text("resourceVersion").empty()) {
    errors.invalid("metadata.resourceVersion", "", "must be specified for an update");
  }
  int64_t generation = meta["generation"].number;
  if (generation < 0)
    errors.invalid_number("metadata.generation", generation, "must be greater than or equal to 0");
  if (generation < old["generation"].number)
    errors.invalid_number("metadata.generation", generation, "must not be decremented");
  immutable_text(meta.field_text("name"), old.field_text("name"), "metadata.name", errors);
  immutable_text(meta.field_text("namespace"), old.field_text("namespace"), "metadata.namespace", errors);
  // The uid has a named string type, so the message shows it as JSON.
  if (meta.field_text("uid") != old.field_text("uid")) {
    errors.invalid_named("metadata.uid", meta.field_text("uid"), kImmutable);
  }
  for (std::string_view field : {"creationTimestamp", "deletionTimestamp"}) {
    immutable(semantic_equal(meta[field], old[field]), child("metadata", field), time_json(meta[field]),
              errors);
  }
  const Data& grace = meta["deletionGracePeriodSeconds"];
  immutable(semantic_equal(grace, old["deletionGracePeriodSeconds"]), "metadata.deletionGracePeriodSeconds",
            grace.set ? fmt::format("{}", grace.number) : "null", errors);
  validate_labels(meta["labels"], "metadata.labels", errors);
  validate_annotations(meta["annotations"], "metadata.annotations", errors);
  validate_owners(meta["ownerReferences"], "metadata.ownerReferences", errors);
  validate_managed_fields(meta["managedFields"], "metadata.managedFields", errors);
}

}  // namespace portcullis
