// See status.h.
#include "manifests/status.h"

#include "interpreter/values/json.h"

namespace portcullis {

std::string status_json(const Status& s) {
  std::string out;
  JsonWriter w(out);
  auto text = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    w.key(key);
    w.string(value);
  };
  w.begin_object();
  w.key("code");
  w.integer(s.code);
  if (s.has_details) {
    w.key("details");
    w.begin_object();
    if (!s.causes.empty()) {
      w.key("causes");
      w.begin_list();
      for (const StatusCause& cause : s.causes) {
        w.begin_object();
        text("message", cause.message);
        w.end_object();
      }
      w.end_list();
    }
    text("group", s.group);
    text("kind", s.kind);
    text("name", s.name);
    w.end_object();
  }
  text("message", s.message);
  w.key("metadata");
  w.begin_object();
  w.end_object();
  text("reason", s.reason);
  w.key("status");
  w.string("Failure");
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

std::string cannot_be_handled(const GroupVersionKind& kind, std::string_view why) {
  std::string out(kind.kind);
  out.append(" in version ").append(quote_json(kind.version)).append(" cannot be handled as a ");
  return out.append(kind.kind).append(": ").append(why);
}

}  // namespace portcullis
