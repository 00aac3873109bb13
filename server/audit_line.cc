// See audit_line.h.
#include "server/audit_line.h"

#include <chrono>
#include <ranges>

#include "interpreter/values/json.h"
#include "server/log.h"
#include "server/request_words.h"

namespace portcullis::server {
namespace {

// All denials of validating policies; the status tells the first alone.
void write_denials(JsonWriter& w, const v1::Decision& decision) {
  auto denials = decision.results | std::views::filter(&v1::ValidationResult::denied);
  w.optional("denials", denials, [&](const v1::ValidationResult& r) {
    w.member("policy", r.policy);
    w.member("binding", r.binding);
    w.member("message", r.message);
  });
}

void write_request(JsonWriter& w, const v1::Request& r) {
  w.optional("operation", operation_text(r.operation));
  auto type = [&](std::string_view what, std::string_view group, std::string_view version,
                  std::string_view name) {
    w.object(what, [&] {
      w.optional("group", group);
      w.optional("version", version);
      w.optional(what, name);
    });
  };
  type("kind", r.kind.group, r.kind.version, r.kind.kind);
  type("resource", r.resource.group, r.resource.version, r.resource.resource);
  w.optional("subResource", r.subresource);
  w.optional("namespace", r.namespace_name);
  w.optional("name", r.name);
  w.optional("user", r.user.username);
  w.optional("groups", r.user.groups);
  w.member("dryRun", r.dry_run);
}

void write_decision(JsonWriter& w, const v1::Decision& d) {
  w.member("allowed", d.allowed);
  w.member("mutated", d.allowed && d.mutated);
  if (!d.allowed) {
    w.member("code", d.status.code);
    w.optional("reason", d.status.reason);
    w.optional("message", d.status.message);
    write_denials(w, d);
  }
  w.optional("warnings", d.warnings);
  w.optional("auditAnnotations", d.audit_annotations);
}

}  // namespace

void write_audit_line(std::string& line, const Audited& audited) {
  line.clear();
  JsonWriter w(line);
  w.begin_object();
  w.optional("ts", time_text(std::chrono::system_clock::now()));
  w.optional("path", audited.path);
  w.optional("uid", audited.answer.uid);
  write_request(w, audited.answer.request);
  write_decision(w, *audited.answer.decision);
  w.member("policies", audited.answer.decision->policies_matched);
  w.member("generation", audited.generation);
  w.member("microseconds",
           std::chrono::duration_cast<std::chrono::microseconds>(audited.answer.time).count());
  w.end_object();
  escape_hidden(line);
  line += '\n';
}

}  // namespace portcullis::server
