// See check_object.h.
#include "admission/policies/check_object.h"

#include <fmt/format.h>

#include "admission/builtin/access.h"
#include "admission/builtin/registration.h"
#include "admission/objects/document.h"
#include "admission/policies/validation.h"

namespace portcullis {
namespace {

// The part of the report that comes from decoding.
ObjectReport decoding_report(const Decoded& object) {
  ObjectReport report;
  report.known_kind = object.kind != nullptr;
  report.input_error = object.unsupported;
  report.decode_error = object.error;
  report.decode_error_place = object.error_place;
  if (report.known_kind && report.decode_error.empty()) report.strict_errors = object.strict;
  return report;
}

bool decodes(const ObjectReport& report) { return report.known_kind && report.decode_error.empty(); }

ObjectReport created(const Decoded& object) {
  ObjectReport report = check_decoded(object, {});
  if (decodes(report)) report.defaulted = sorted_json(object.data);
  return report;
}

ObjectReport updated(const Decoded& now, const Decoded& before) {
  ObjectReport report = decoding_report(now);
  if (!decodes(report)) return report;
  report.defaulted = sorted_json(now.data);
  if (before.kind != now.kind || !before.error.empty()) {
    report.input_error =
        before.error.empty() ? "object and oldObject are of different kinds" : "oldObject: " + before.error;
    return report;
  }
  // An update needs a resourceVersion; if neither object has one, both get the same.
  const Data &meta = now.data["metadata"], &old_meta = before.data["metadata"];
  if (meta.field_text("resourceVersion").empty() && old_meta.field_text("resourceVersion").empty()) {
    for (const Data* of : {&meta, &old_meta})
      builtin::set(builtin::as_object(of->value), "resourceVersion", Value::string("1"));
  }
  report.errors = validate_update(*now.kind, now.data, before.data);
  report.warnings = object_warnings(*now.kind, now.data, true);
  return report;
}

}  // namespace

ObjectReport check_decoded(const Decoded& object, const ExpressionSetting& setting) {
  ObjectReport report = decoding_report(object);
  if (!decodes(report)) return report;
  report.errors = validate_create(*object.kind, object.data, setting);
  report.warnings = object_warnings(*object.kind, object.data, false);
  return report;
}

ObjectReport check_object(const Document& object, const Document* old_object) {
  Arena arena;
  Decoded now = decode_object(arena, object);
  bool is_new = old_object == nullptr || old_object->is(Document::Kind::Null);
  return is_new ? created(now) : updated(now, decode_object(arena, *old_object));
}

}  // namespace portcullis
