#include "chain/review_request.h"

#include "interpreter/values/json.h"

namespace portcullis::chain {
namespace {

// Writes members in the order of Go's structs.
class Writer {
 public:
  explicit Writer(std::string& out) : json_(out, JsonEscape::Go, JsonOrder::Document) {}

  void text(std::string_view name, std::string_view value) {
    json_.key(name);
    json_.string(value);
  }
  // A member with omitempty.
  void some(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void value(std::string_view name, const Value& v) {
    json_.key(name);
    json_.value(v);
  }
  void kind(std::string_view name, const GroupVersionKind& k) {
    type(name, k.group, k.version, "kind", k.kind);
  }
  void resource(std::string_view name, const GroupVersionResource& r) {
    type(name, r.group, r.version, "resource", r.resource);
  }
  void user(const UserInfo& user) {
    open("userInfo");
    some("username", user.username);
    some("uid", user.uid);
    if (!user.groups.empty()) texts("groups", user.groups);
    if (!user.extra.empty()) {
      open("extra");
      for (const UserInfo::Extra& e : user.extra) texts(e.key, e.values);
      close();
    }
    close();
  }
  void boolean(std::string_view name, bool value) {
    json_.key(name);
    json_.boolean(value);
  }
  void open(std::string_view name) {
    if (!name.empty()) json_.key(name);
    json_.begin_object();
  }
  void close() { json_.end_object(); }

 private:
  void type(std::string_view name, std::string_view group, std::string_view version, std::string_view what,
            std::string_view type) {
    open(name);
    text("group", group);
    text("version", version);
    text(what, type);
    close();
  }
  void texts(std::string_view name, std::span<const std::string_view> values) {
    json_.key(name);
    json_.begin_list();
    for (std::string_view v : values) json_.string(v);
    json_.end_list();
  }

  JsonWriter json_;
};

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
  Writer json(out);
  json.open({});
  json.text("kind", "AdmissionReview");
  json.text("apiVersion", "admission.k8s.io/" + std::string(version));
  json.open("request");
  json.text("uid", uid);
  json.kind("kind", match.kind);
  json.resource("resource", match.resource);
  json.some("subResource", request.subresource);
  json.kind("requestKind", request.kind);
  json.resource("requestResource", request.resource);
  json.some("requestSubResource", request.subresource);
  json.some("name", request.name);
  json.some("namespace", request.namespace_name);
  json.text("operation", operation_name(request.operation));
  json.user(request.user);
  json.value("object", objects.object);
  json.value("oldObject", objects.old_object);
  json.boolean("dryRun", request.dry_run);
  json.value("options", request.options);
  json.close();
  json.close();
  return out;
}

}  // namespace portcullis::chain
