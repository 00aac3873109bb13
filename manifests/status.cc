// See status.h.
#include "manifests/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "admission/builtin/type_meta.h"
#include "grammar/quote.h"
#include "interpreter/values/json.h"
#include "manifests/resources.h"

namespace portcullis {

std::string status_json(const Status& s) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  if (s.code == 0) {
    w.member("message", s.message);
    w.end_object();
    return out;
  }
  w.member("code", s.code);
  if (s.has_details) {
    w.object("details", [&] {
      w.optional("causes", s.causes, [&](const StatusCause& cause) {
        w.optional("field", cause.field);
        w.optional("message", cause.message);
        w.optional("reason", cause.reason);
      });
      w.optional("group", s.group);
      w.optional("kind", s.kind);
      w.optional("name", s.name);
    });
  }
  w.optional("message", s.message);
  w.raw("metadata", "{}");
  w.optional("reason", s.reason);
  w.member("status", "Failure");
  w.end_object();
  return out;
}

std::string bad_request(std::string_view message) {
  Status s;
  s.code = 400;
  s.reason = "BadRequest";
  s.message = message;
  return status_json(s);
}

// Prints errors as Kubernetes' aggregate does: one alone, several in brackets, each text once.
std::string invalid_message(const GroupVersionKind& kind, std::string_view name,
                            const std::vector<FieldError>& errors) {
  std::string list;
  std::unordered_set<std::string_view> seen;
  for (const FieldError& e : errors) {
    if (!seen.insert(e.message).second) continue;
    list.append(list.empty() ? "" : ", ").append(e.message);
  }
  if (seen.size() > 1) list = "[" + list + "]";
  std::string out(kind.kind);
  if (!kind.group.empty()) out.append(".").append(kind.group);
  return out.append(" ").append(quote(name)).append(" is invalid: ").append(list);
}

std::string invalid_status(const GroupVersionKind& kind, std::string_view name,
                           const std::vector<FieldError>& errors) {
  std::string message = invalid_message(kind, name, errors);
  Status s{422, "Invalid", message, true, name, kind.group, kind.kind, {}};
  for (const FieldError& e : errors) {
    std::string_view text = e.message;
    text.remove_prefix(std::min(text.size(), e.field.size() + 2));  // the message starts with the field
    s.causes.push_back({text, e.field, e.type});
  }
  return status_json(s);
}

std::string cannot_be_handled(const GroupVersionKind& kind, std::string_view why) {
  std::string out(kind.kind);
  out.append(" in version ").append(quote_json(kind.version)).append(" cannot be handled as a ");
  return out.append(kind.kind).append(": ").append(why);
}

std::string cannot_be_handled(const AdmissionRequest& request, std::string_view why) {
  const bool scale = request.subresource == "scale" && request.kind.kind == "Scale";
  if (!scale || Resources::is_closed(request.resource.group)) return cannot_be_handled(request.kind, why);
  return fmt::format("no kind is registered for the type v1.Scale in scheme {}", builtin::kSchemeName);
}

}  // namespace portcullis
