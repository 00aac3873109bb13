#include "chain/review_request.h"

#include "interpreter/values/json.h"

namespace portcullis::chain {
namespace {

void write_type(JsonWriter& w, std::string_view name, std::string_view group, std::string_view version,
                std::string_view what, std::string_view type) {
  w.object(name, [&] {
    w.member("group", group);
    w.member("version", version);
    w.member(what, type);
  });
}
void write_kind(JsonWriter& w, std::string_view name, const GroupVersionKind& k) {
  write_type(w, name, k.group, k.version, "kind", k.kind);
}
void write_resource(JsonWriter& w, std::string_view name, const GroupVersionResource& r) {
  write_type(w, name, r.group, r.version, "resource", r.resource);
}

void write_user(JsonWriter& w, const UserInfo& user) {
  w.optional("username", user.username);
  w.optional("uid", user.uid);
  w.optional("groups", user.groups);
  if (user.extra.empty()) return;
  w.object("extra", [&] {
    for (const UserInfo::Extra& e : user.extra) w.member(e.key, e.values);
  });
}

}  // namespace

std::string_view review_version(const LoadedWebhook& webhook) {
  for (const std::string& version : webhook.review_versions) {
    if (version == "v1" || version == "v1beta1") return version;
  }
  return {};
}

std::string review_request(const AdmissionRequest& request, const WebhookMatch& match,
                           const WebhookObjects& objects, std::string_view version, std::string_view uid) {
  std::string out;
  JsonWriter w(out, JsonEscape::Go, JsonOrder::Document);
  w.begin_object();  // members in the order of Go's structs
  w.member("kind", "AdmissionReview");
  w.member("apiVersion", "admission.k8s.io/" + std::string(version));
  w.object("request", [&] {
    w.member("uid", uid);
    write_kind(w, "kind", match.kind);
    write_resource(w, "resource", match.resource);
    w.optional("subResource", request.subresource);
    write_kind(w, "requestKind", request.kind);
    write_resource(w, "requestResource", request.resource);
    w.optional("requestSubResource", request.subresource);
    w.optional("name", request.name);
    w.optional("namespace", request.namespace_name);
    w.member("operation", operation_name(request.operation));
    w.object("userInfo", [&] { write_user(w, request.user); });
    w.member("object", objects.object);
    w.member("oldObject", objects.old_object);
    w.member("dryRun", request.dry_run);
    w.member("options", request.options);
  });
  w.end_object();
  return out;
}

}  // namespace portcullis::chain
