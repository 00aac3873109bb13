// See admission_review.h.
#include "manifests/admission_review.h"

#include "admission/authorization/authorizer.h"
#include "admission/builtin/normalize.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "manifests/kind_words.h"

namespace portcullis {
namespace {

constexpr std::string_view kV1 = "admission.k8s.io/v1", kV1beta1 = "admission.k8s.io/v1beta1";

// The sender serves the kind, even if this release does not; but some kinds never existed.
std::optional<ReviewRefusal> refuse_kind(const AdmissionRequest& a, const Resources& resources) {
  Resource r = resources.find(join_api_version(a.kind.group, a.kind.version), a.kind.kind);
  bool body = !a.subresource.empty() && !r.exists();
  if (r.availability != Availability::Absent || body) return std::nullopt;
  return ReviewRefusal{"request.kind", no_match(r), kind_hint(r, resources)};
}

}  // namespace

std::optional<ReviewRefusal> read_admission_review(const Value& review, std::string_view api_version,
                                                   const Resources& resources, Arena& arena,
                                                   AdmissionRequest& a, std::string_view& uid) {
  std::string_view version = api_version.substr(api_version.find('/') + 1);
  if (version != "v1" && version != "v1beta1")
    return ReviewRefusal{"apiVersion", no_match(resources.find(api_version, "AdmissionReview")),
                         "want admission.k8s.io/v1 or admission.k8s.io/v1beta1"};
  const Value* request = find_member(review, "request");
  if (!request || !request->is(Kind::Map))
    return ReviewRefusal{"request", "the AdmissionReview has no request", {}};
  uid = text_member(*request, "uid");
  if (!parse_operation(text_member(*request, "operation"), a.operation))
    return ReviewRefusal{"request.operation", "the request has no operation, or none that exists", {}};
  auto part = [&](std::string_view name) {
    const Value* v = find_member(*request, name);
    return v ? *v : Value();
  };
  Value kind = part("kind"), resource = part("resource");
  a.kind = {text_member(kind, "group"), text_member(kind, "version"), text_member(kind, "kind")};
  a.resource = {text_member(resource, "group"), text_member(resource, "version"),
                text_member(resource, "resource")};
  if (a.kind.kind.empty()) return ReviewRefusal{"request.kind", "the request has no kind", {}};
  if (a.resource.resource.empty())
    return ReviewRefusal{"request.resource", "the request has no resource", {}};
  a.subresource = text_member(*request, "subResource");
  a.name = text_member(*request, "name");
  a.namespace_name = text_member(*request, "namespace");
  if (auto refusal = refuse_kind(a, resources)) return refusal;
  a.object = part("object");
  a.old_object = part("oldObject");
  a.options = part("options");
  a.dry_run = part("dryRun").is_true();
  a.typed = builtin::is_builtin(a.object.is_null() ? a.old_object : a.object);
  a.user = read_user_info(part("userInfo"), arena);
  return std::nullopt;
}

void write_admission_review(std::string& out, const ReviewAnswer& answer) {
  JsonWriter w(out);
  w.begin_object();
  w.key("apiVersion");
  w.string(answer.api_version == kV1beta1 ? kV1beta1 : kV1);
  w.key("kind");
  w.string("AdmissionReview");
  w.key("response");
  w.begin_object();
  w.key("allowed");
  w.boolean(answer.allowed);
  if (!answer.audit_annotations.empty()) {
    w.key("auditAnnotations");
    w.begin_object();
    for (const auto& [key, value] : answer.audit_annotations) {
      w.key(key);
      w.string(value);
    }
    w.end_object();
  }
  if (!answer.patch.empty()) {
    w.key("patch");
    w.value(Value::bytes(answer.patch));  // in base64
    w.key("patchType");
    w.string("JSONPatch");
  }
  if (!answer.allowed) {
    w.key("status");
    w.raw(answer.status);
  }
  w.key("uid");
  w.string(answer.uid);
  if (!answer.warnings.empty()) {
    w.key("warnings");
    w.begin_list();
    for (std::string_view warning : answer.warnings) w.string(warning);
    w.end_list();
  }
  w.end_object();
  w.end_object();
}

}  // namespace portcullis
