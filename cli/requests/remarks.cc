// See remarks.h.
#include "cli/requests/remarks.h"

#include <set>
#include <utility>

#include "admission/policies/object_metadata.h"
#include "admission/policies/object_updates.h"
#include "admission/scalars/group_version.h"
#include "cli/messages/messages.h"
#include "cli/reading/unknown_fields.h"
#include "manifests/kubectl.h"

namespace portcullis {
namespace {

// Says that the API server refuses the manifest of a request whatever policies say, and adds a remark.
void remark_refused(Request& r, std::string_view field, std::string text, std::string_view hint = {}) {
  const InputObject& o = *r.object;
  const Position at = o.locate(field);
  say(Severity::Warning, o.file->name, at,
      "whatever the verdict, the API server refuses this " + std::string(o.kind) + ": " + text, o.file->text,
      hint);
  r.remarks.push_back({Remark::About::Refused, at, std::move(text)});
}

}  // namespace

bool is_written(const InputObject& o) {
  const Value* metadata = find_member(o.value, "metadata");
  return metadata == nullptr || !metadata->is(Kind::Map) || text_member(*metadata, "uid").empty();
}

void remark_large_body(const Value& sent, Request& r) {
  const Operation operation = r.attributes.operation;
  if (operation != Operation::Create && operation != Operation::Update) return;
  const size_t bytes = large_body(sent);
  if (bytes == 0) return;
  remark_refused(r, "", "Request entity too large: limit is " + std::to_string(kMaxRequestBody),
                 "kubectl sends it as " + std::to_string(bytes) + " bytes of JSON");
}

void remark_invalid(const Value& object, Request& r) {
  const AdmissionRequest& a = r.attributes;
  const bool updated = a.operation == Operation::Update;
  if (!updated && (!a.subresource.empty() || a.operation != Operation::Create)) return;
  if (a.kind.group == kDefinitionGroup && a.kind.kind == "CustomResourceDefinition")
    return;                                                               // all of it is checked
  if (r.preconditions && find_uid_conflict(a, *r.preconditions)) return;  // that comes first
  FieldErrors errors;
  if (a.subresource.empty())
    check_built_in_metadata(a.kind, object, updated ? &a.old_object : nullptr, r.namespaced, errors);
  // Nobody knows since when an object is being deleted, if only what a person wrote of it is known.
  if (r.replaces_written && !is_written(*r.object))
    std::erase_if(errors.list, [](const FieldError& e) { return e.field.starts_with("metadata.deletion"); });
  if (updated)
    check_built_in_update(a.kind, object, a.old_object, {is_written(*r.object), r.replaces_written},
                          a.subresource, errors);
  std::set<std::string_view> said;
  for (const FieldError& e : errors.list) {
    if (said.insert(e.message).second) remark_refused(r, e.field, e.message);
  }
}

void remark_audiences(const InputObject& o, const Value& object, Request& r) {
  if (r.attributes.resource.resource != "serviceaccounts" || r.attributes.subresource != "token") return;
  const Value* spec = find_member(object, "spec");
  const Value* audiences = spec == nullptr ? nullptr : find_member(*spec, "audiences");
  if (audiences != nullptr && audiences->is(Kind::List) && audiences->size() != 0) return;
  const std::string text =
      "the API server gives a TokenRequest without audiences its own ones, "
      "which are not known here";
  r.remarks.push_back({Remark::About::Assumed, o.locate("spec.audiences"), text});
  say(Severity::Note, o.file->name, o.locate("spec.audiences"), text);
}

void remark_unknown_fields(const InputObject& o, const std::vector<builtin::UnknownField>& fields,
                           std::vector<Remark>& remarks) {
  say_unknown_fields(o, fields);
  for (const builtin::UnknownField& f : fields)
    remarks.push_back({Remark::About::Refused, o.locate(f.path, true), unknown_field(f)});
}

void remark_version_of_new(Request& r) {
  const std::string_view why = refused_version(r.attributes);
  if (!why.empty()) remark_refused(r, "metadata.resourceVersion", std::string(why));
}

}  // namespace portcullis
