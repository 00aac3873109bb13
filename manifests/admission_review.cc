// See admission_review.h.
#include "manifests/admission_review.h"

#include <algorithm>
#include <unordered_set>

#include "admission/authorization/authorizer.h"
#include "admission/builtin/floats.h"
#include "admission/builtin/normalize.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

constexpr std::string_view kV1 = "admission.k8s.io/v1", kV1beta1 = "admission.k8s.io/v1beta1";

bool is_known(std::string_view api_version) {
  std::string_view version = api_version.substr(api_version.find('/') + 1);
  return version == "v1" || version == "v1beta1";
}

struct Field {
  std::string_view name;
  Kind kind;
};
constexpr Field kRequest[] = {{"uid", Kind::String},
                              {"kind", Kind::Map},
                              {"resource", Kind::Map},
                              {"subResource", Kind::String},
                              {"requestKind", Kind::Map},
                              {"requestResource", Kind::Map},
                              {"requestSubResource", Kind::String},
                              {"name", Kind::String},
                              {"namespace", Kind::String},
                              {"operation", Kind::String},
                              {"userInfo", Kind::Map},
                              {"object", Kind::Map},
                              {"oldObject", Kind::Map},
                              {"dryRun", Kind::Bool},
                              {"options", Kind::Map}};
constexpr Field kKind[] = {{"group", Kind::String}, {"version", Kind::String}, {"kind", Kind::String}};
constexpr Field kResource[] = {
    {"group", Kind::String}, {"version", Kind::String}, {"resource", Kind::String}};
constexpr Field kUser[] = {
    {"username", Kind::String}, {"uid", Kind::String}, {"groups", Kind::List}, {"extra", Kind::Map}};
// Members of the request with fields of their own.
constexpr std::pair<std::string_view, std::span<const Field>> kParts[] = {{"kind", kKind},
                                                                          {"resource", kResource},
                                                                          {"requestKind", kKind},
                                                                          {"requestResource", kResource},
                                                                          {"userInfo", kUser}};

// Null stands for an absent value, as in Go.
bool is_or_absent(const Value* value, Kind kind) {
  return value == nullptr || value->is_null() || value->is(kind);
}

std::optional<ReviewRefusal> refuse_fields(const Value& map, std::span<const Field> fields,
                                           const std::string& path) {
  for (const Field& f : fields) {
    if (is_or_absent(find_member(map, f.name), f.kind)) continue;
    const std::string wrong = path + "." + std::string(f.name);
    std::string_view wanted = f.kind == Kind::String ? " is no string"
                              : f.kind == Kind::Bool ? " is no boolean"
                              : f.kind == Kind::List ? " is no list"
                                                     : " is no object";
    return ReviewRefusal{wrong, wrong + std::string(wanted), {}};
  }
  return std::nullopt;
}

bool are_texts(const Value* list) {
  if (!is_or_absent(list, Kind::List)) return false;
  for (size_t i = 0; list != nullptr && !list->is_null() && i < list->size(); i++) {
    if (!is_or_absent(&list->as_list()[i], Kind::String)) return false;
  }
  return true;
}

std::optional<ReviewRefusal> refuse_user(const Value& user) {
  auto wrong = [](const std::string& path) {
    return ReviewRefusal{path, path + " is no list of strings", {}};
  };
  if (!are_texts(find_member(user, "groups"))) return wrong("request.userInfo.groups");
  const Value* extra = find_member(user, "extra", Kind::Map);
  if (extra == nullptr) return std::nullopt;
  for (const MapEntry& e : extra->as_map()) {
    if (!are_texts(&e.value)) return wrong("request.userInfo.extra." + std::string(e.key.as_text()));
  }
  return std::nullopt;
}

GroupVersionKind kind_of(const Value* v) {
  if (v == nullptr) return {};
  return {text_member(*v, "group"), text_member(*v, "version"), text_member(*v, "kind")};
}
GroupVersionResource resource_of(const Value* v) {
  if (v == nullptr) return {};
  return {text_member(*v, "group"), text_member(*v, "version"), text_member(*v, "resource")};
}

// Makes `a` the request that the client sent, if the server converted its objects to a version that the rules of its
// webhook name.
void read_asked(const Value& request, AdmissionRequest& a) {
  const GroupVersionKind kind = kind_of(find_member(request, "requestKind"));
  const GroupVersionResource resource = resource_of(find_member(request, "requestResource"));
  const AdmissionRequest::Sent sent{a.kind, a.resource};
  if (!kind.kind.empty()) a.kind = kind;
  if (!resource.resource.empty()) a.resource = resource;
  if (a.kind != sent.kind || a.resource != sent.resource) a.sent = sent;
  const std::string_view subresource = text_member(request, "requestSubResource");
  if (!subresource.empty()) a.subresource = subresource;
}

}  // namespace

std::optional<ReviewRefusal> refuse_form(const Value& review, std::string_view api_version) {
  if (!is_known(api_version)) {
    return ReviewRefusal{"apiVersion",
                         "no matches for kind \"AdmissionReview\" in version " + quote_json(api_version),
                         "want admission.k8s.io/v1 or admission.k8s.io/v1beta1"};
  }
  const Value* request = find_member(review, "request", Kind::Map);
  if (request == nullptr) return ReviewRefusal{"request", "the AdmissionReview has no request", {}};
  if (auto refusal = refuse_fields(*request, kRequest, "request")) return refusal;
  for (const auto& [name, fields] : kParts) {
    const Value* part = find_member(*request, name, Kind::Map);
    if (part == nullptr) continue;
    if (auto refusal = refuse_fields(*part, fields, "request." + std::string(name))) return refusal;
  }
  const Value* user = find_member(*request, "userInfo");
  return user == nullptr ? std::nullopt : refuse_user(*user);
}

std::optional<ReviewRefusal> read_admission_review(const Value& review, std::string_view api_version,
                                                   Arena& arena, AdmissionRequest& a, std::string_view& uid) {
  const Value* request = find_member(review, "request");
  if (request && is_known(api_version)) uid = text_member(*request, "uid");
  if (auto refusal = refuse_form(review, api_version)) return refusal;
  if (!parse_operation(text_member(*request, "operation"), a.operation))
    return ReviewRefusal{"request.operation", "the request has no operation, or none that exists", {}};
  auto part = [&](std::string_view name) {
    const Value* v = find_member(*request, name);
    return v ? *v : Value();
  };
  a.kind = kind_of(find_member(*request, "kind"));
  a.resource = resource_of(find_member(*request, "resource"));
  if (a.kind.kind.empty()) return ReviewRefusal{"request.kind", "the request has no kind", {}};
  if (a.resource.resource.empty())
    return ReviewRefusal{"request.resource", "the request has no resource", {}};
  a.subresource = text_member(*request, "subResource");
  read_asked(*request, a);
  a.name = text_member(*request, "name");
  a.namespace_name = text_member(*request, "namespace");
  a.object = part("object");
  a.old_object = part("oldObject");
  a.options = part("options");
  a.served = true;
  a.dry_run = part("dryRun").is_true();
  if (const builtin::StructRow* row = builtin::struct_of(a.object.is_null() ? a.old_object : a.object)) {
    a.typed = true;
    a.object = builtin::with_floats(arena, *row, a.object);
    a.old_object = builtin::with_floats(arena, *row, a.old_object);
  }
  a.user = read_user_info(part("userInfo"), arena);
  return std::nullopt;
}

std::optional<Resource> unknown_kind(const AdmissionRequest& request, const Resources& resources) {
  if (!request.subresource.empty()) return std::nullopt;  // its body may be of a kind that is no resource
  auto unknown = [&](const GroupVersionKind& kind) -> std::optional<Resource> {
    Resource r = resources.find(join_api_version(kind.group, kind.version), kind.kind);
    return r.availability == Availability::Absent ? std::optional(std::move(r)) : std::nullopt;
  };
  std::optional<Resource> found = unknown(request.kind);
  return found || !request.sent ? found : unknown(request.sent->kind);
}

namespace {

// Each text once, as the API server passes them on: its params may bring a policy to say the same thing several times.
void write_warnings(JsonWriter& w, std::span<const std::string_view> warnings) {
  constexpr size_t kFew = 16;  // are compared with each other, which takes no memory
  std::unordered_set<std::string_view> seen;
  w.key("warnings");
  w.begin_list();
  for (size_t i = 0; i < warnings.size(); i++) {
    const auto before = warnings.first(i);
    const bool repeated = warnings.size() <= kFew ? std::ranges::find(before, warnings[i]) != before.end()
                                                  : !seen.insert(warnings[i]).second;
    if (!repeated) w.string(warnings[i]);
  }
  w.end_list();
}

}  // namespace

void write_admission_review(std::string& out, const ReviewAnswer& answer) {
  JsonWriter w(out);
  w.begin_object();
  w.member("apiVersion", answer.api_version == kV1beta1 ? kV1beta1 : kV1);
  w.member("kind", "AdmissionReview");
  w.object("response", [&] {
    w.member("allowed", answer.allowed);
    w.optional("auditAnnotations", answer.audit_annotations);
    if (!answer.patch.empty()) {
      w.member("patch", Value::bytes(answer.patch));  // in base64
      w.member("patchType", "JSONPatch");
    }
    if (!answer.allowed) w.raw("status", answer.status);
    w.member("uid", answer.uid);
    if (!answer.warnings.empty()) write_warnings(w, answer.warnings);
  });
  w.end_object();
}

}  // namespace portcullis
