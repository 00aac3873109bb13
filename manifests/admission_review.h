// AdmissionReview: reads the request of one, and writes the answer to one, as webhooks and API servers
// exchange them.
//
// Idea: a request is trusted, since an API server made it; only its types are checked, and its objects are decided as
// they were sent: the definition of a custom resource may be newer there than among our objects. It becomes the
// request of the client: kind and resource are requestKind and requestResource, if there are any. An invalid request
// is refused with the messages of `portcullis review`. An answer has the version of the question. Source of
// behaviour: k8s.io/api admission/v1, v1beta1. Tested by tests/cli/replay.txt, library/admission_review_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "admission/objects/request.h"
#include "manifests/resources.h"

namespace portcullis {

// Why an AdmissionReview has no valid request.
struct ReviewRefusal {
  std::string field;  // of the AdmissionReview
  std::string text, hint;
};

// Reads the request of `review` into `out`, and its uid; texts are views of `review` or live in `arena`. If
// it refuses the request, `out` and `uid` hold what it has read. `api_version`: that of the AdmissionReview.
std::optional<ReviewRefusal> read_admission_review(const Value& review, std::string_view api_version,
                                                   Arena& arena, AdmissionRequest& out,
                                                   std::string_view& uid);

// The kind of the request if neither Kubernetes 1.37 nor a definition has it at this version. Who sent the request
// serves it, so a newer release has it: it is decided as a custom resource without definition.
std::optional<Resource> unknown_kind(const AdmissionRequest& request, const Resources& resources);

// Why `review` is none that an API server sends and Go's decoder takes: its version, no request, a field of another
// type. `read_admission_review` refuses it with the same words.
std::optional<ReviewRefusal> refuse_form(const Value& review, std::string_view api_version);

struct ReviewAnswer {
  // Of the question. The answer has version v1 unless the question has v1beta1.
  std::string_view api_version, uid;
  bool allowed = true;
  std::string_view status;  // JSON of a metav1.Status, if not allowed
  std::span<const std::pair<std::string_view, std::string_view>> audit_annotations;
  std::span<const std::string_view> warnings;  // of texts that repeat themselves the first is written
  std::string_view patch = {};                 // a JSON Patch (RFC 6902); empty: the object is not changed
};
// Appends the AdmissionReview with this answer, without a line break.
void write_admission_review(std::string& out, const ReviewAnswer& answer);

}  // namespace portcullis
