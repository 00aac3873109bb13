// See check_object.h.
#include "admission/policies/check_object.h"

#include <fmt/format.h>

#include "admission/objects/document.h"
#include "admission/objects/schema.h"
#include "admission/policies/validation.h"

namespace portcullis {
namespace {

ObjectReport report_of(const Document& object, const Document* old_object, KubernetesVersion target = {}) {
  ObjectReport report;
  Decoded now = decode_object(object);
  report.known_kind = now.kind != nullptr;
  report.input_error = now.unsupported;
  report.decode_error = now.error;
  report.decode_error_place = now.error_place;
  if (!report.known_kind || !report.decode_error.empty()) return report;
  report.strict_errors = std::move(now.strict_errors);
  append_json(report.defaulted, now.data);
  if (old_object == nullptr || old_object->is(Document::Kind::Null)) {
    report.errors = validate_create(*now.kind, now.data, target);
    report.warnings = object_warnings(*now.kind, now.data, false);
    return report;
  }
  Decoded before = decode_object(*old_object);
  if (before.kind != now.kind || !before.error.empty()) {
    report.input_error =
        before.error.empty() ? "object and oldObject are of different kinds" : "oldObject: " + before.error;
    return report;
  }
  // An update needs a resource version; where neither object has one, both get it.
  std::string& version = now.data.at("metadata").at("resourceVersion").text;
  std::string& old_version = before.data.at("metadata").at("resourceVersion").text;
  if (version.empty() && old_version.empty()) version = old_version = "1";
  report.errors = validate_update(*now.kind, now.data, before.data);
  report.warnings = object_warnings(*now.kind, now.data, true);
  return report;
}

}  // namespace

ObjectReport check_object(const Value& object, const Value* old_object) {
  Document now = document_of(object);
  if (old_object == nullptr) return report_of(now, nullptr);
  Document before = document_of(*old_object);
  return report_of(now, &before);
}

ObjectReport check_object(const Value& object, const KubernetesVersion& version) {
  return report_of(document_of(object), nullptr, version);
}

ObjectReport check_object(const Document& object, const Document* old_object) {
  return report_of(object, old_object);
}

ObjectReport check_object_text(std::string_view object, std::string_view old_object) {
  ObjectReport report;
  auto now = read_document(object);
  if (!now.ok()) {
    report.known_kind = false;
    report.decode_error = "couldn't get version/kind; json parse error: " + now.error().text;
    return report;
  }
  if (old_object.empty()) return report_of(*now, nullptr);
  auto before = read_document(old_object);
  if (!before.ok()) {
    report.input_error = "oldObject: " + before.error().text;
    return report;
  }
  return report_of(*now, &*before);
}

}  // namespace portcullis
