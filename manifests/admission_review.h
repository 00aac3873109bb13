// AdmissionReview: the request in one, and the answer to one, as webhooks and API servers exchange them.
//
// Idea: a request is taken as it is, since an API server made it; what cannot be a request is refused in the words that
// `portcullis review` has. Answers have the version that was asked in. Source of behaviour: k8s.io/api admission/v1,
// v1beta1. Tested by tests/cli/replay.txt, library/engine_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "admission/objects/request.h"
#include "manifests/resources.h"

namespace portcullis {

// Why the request of an AdmissionReview is none.
struct ReviewRefusal {
  std::string field;  // of the AdmissionReview
  std::string text, hint;
};

// Fills in the request of `review` and its uid, which are views of it or live in `arena`; as far as they are known,
// where it is refused. `api_version`: that of the AdmissionReview.
std::optional<ReviewRefusal> read_admission_review(const Value& review, std::string_view api_version,
                                                   const Resources& resources, Arena& arena,
                                                   AdmissionRequest& out, std::string_view& uid);

struct ReviewAnswer {
  // Of the question: an answer in another version than v1 and v1beta1 is one in v1.
  std::string_view api_version, uid;
  bool allowed = true;
  std::string_view status;  // JSON of a metav1.Status, if not allowed
  std::span<const std::pair<std::string_view, std::string_view>> audit_annotations;
  std::span<const std::string_view> warnings;
  std::string_view patch = {};  // a JSON Patch (RFC 6902); empty: the object stays as it is
};
// Appends the AdmissionReview with this answer, without line break.
void write_admission_review(std::string& out, const ReviewAnswer& answer);

}  // namespace portcullis
