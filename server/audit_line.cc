// See audit_line.h.
#include "server/audit_line.h"

#include <chrono>
#include <span>

#include "interpreter/values/json.h"
#include "server/log.h"
#include "server/request_words.h"

namespace portcullis::server {
namespace {

// A member, unless it is empty.
void write_text(JsonWriter& w, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  w.key(name);
  w.string(text);
}

void write_list(JsonWriter& w, std::string_view name, std::span<const std::string_view> texts) {
  if (texts.empty()) return;
  w.key(name);
  w.begin_list();
  for (std::string_view text : texts) w.string(text);
  w.end_list();
}

// All denials of validating policies; the status tells the first alone.
void write_denials(JsonWriter& w, const v1::Decision& decision) {
  bool some = false;
  for (const v1::ValidationResult& r : decision.results) {
    if (!r.denied) continue;
    if (!some) {
      w.key("denials");
      w.begin_list();
    }
    some = true;
    w.begin_object();
    w.key("policy");
    w.string(r.policy);
    w.key("binding");
    w.string(r.binding);
    w.key("message");
    w.string(r.message);
    w.end_object();
  }
  if (some) w.end_list();
}

void write_request(JsonWriter& w, const v1::Request& r) {
  write_text(w, "operation", operation_text(r.operation));
  w.key("kind");
  w.begin_object();
  write_text(w, "group", r.kind.group);
  write_text(w, "version", r.kind.version);
  write_text(w, "kind", r.kind.kind);
  w.end_object();
  w.key("resource");
  w.begin_object();
  write_text(w, "group", r.resource.group);
  write_text(w, "version", r.resource.version);
  write_text(w, "resource", r.resource.resource);
  w.end_object();
  write_text(w, "subResource", r.subresource);
  write_text(w, "namespace", r.namespace_name);
  write_text(w, "name", r.name);
  write_text(w, "user", r.user.username);
  write_list(w, "groups", r.user.groups);
  w.key("dryRun");
  w.boolean(r.dry_run);
}

void write_decision(JsonWriter& w, const v1::Decision& d) {
  w.key("allowed");
  w.boolean(d.allowed);
  w.key("mutated");
  w.boolean(d.allowed && d.mutated);
  if (!d.allowed) {
    w.key("code");
    w.integer(d.status.code);
    write_text(w, "reason", d.status.reason);
    write_text(w, "message", d.status.message);
    write_denials(w, d);
  }
  write_list(w, "warnings", d.warnings);
  if (!d.audit_annotations.empty()) {
    w.key("auditAnnotations");
    w.begin_object();
    for (const auto& [key, value] : d.audit_annotations) {
      w.key(key);
      w.string(value);
    }
    w.end_object();
  }
}

}  // namespace

void write_audit_line(std::string& line, const Audited& audited) {
  line.clear();
  JsonWriter w(line);
  w.begin_object();
  write_text(w, "ts", time_text(std::chrono::system_clock::now()));
  write_text(w, "path", audited.path);
  write_text(w, "uid", audited.answer.uid);
  write_request(w, audited.answer.request);
  write_decision(w, *audited.answer.decision);
  w.key("policies");
  w.integer(audited.answer.decision->policies_matched);
  w.key("generation");
  w.integer(static_cast<int64_t>(audited.generation));
  w.key("microseconds");
  w.integer(std::chrono::duration_cast<std::chrono::microseconds>(audited.answer.time).count());
  w.end_object();
  line += '\n';
}

}  // namespace portcullis::server
