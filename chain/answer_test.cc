#include "chain/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/media_type.h"
#include "interpreter/values/json.h"

namespace portcullis::chain {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr Question kValidating{"u", true, false}, kMutating{"u", true, true};
constexpr Question kOldValidating{"u", false, false}, kOldMutating{"u", false, true};

// A v1 review whose response has the right uid, allows, and has `more`.
std::string review(std::string_view more, std::string_view version = "v1") {
  return R"({"apiVersion":"admission.k8s.io/)" + std::string(version) +
         R"(","kind":"AdmissionReview","response":{"uid":"u","allowed":true)" + std::string(more) + "}}";
}

class Answer : public ::testing::Test {
 protected:
  Response response(std::string_view body, const Question& question = kValidating) {
    return read_answer(arena_, {200, {{"content-type", "application/json"}}, std::string(body)}, question);
  }
  std::string error(std::string_view body, const Question& question = kValidating) {
    return response(body, question).error;
  }
  std::string refused(int code, std::string_view body, std::string_view type) {
    return read_answer(arena_, {code, {{"Content-Type", std::string(type)}}, std::string(body)}, kValidating)
        .error;
  }
  std::string denied(std::string_view status) {
    return to_json(
        rejection(arena_, "w", response(review(R"(,"allowed":false,"status":)" + std::string(status)))));
  }
  Arena arena_;
};

struct Row {
  std::string body, error;
};

TEST_F(Answer, BodyThatIsNoReview) {
  const std::string meta = "couldn't get version/kind; json parse error: ";
  const std::string into =
      R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
      R"(Kind string "json:\"kind,omitempty\"" })";
  const Row rows[] = {
      {"", "0-length response with status code: 200 and content type: application/json"},
      {"[]", meta + "json: cannot unmarshal array" + into},
      {"x", meta + "json: cannot unmarshal string" + into},
      {R"({"kind":1})", meta + "json: cannot unmarshal number into Go struct field .kind of type string"},
      {R"({"APIVERSION":2})",
       meta + "json: cannot unmarshal number into Go struct field .apiVersion of type string"},
      {"apiVersion: 1",
       meta + "json: cannot unmarshal number into Go struct field .apiVersion of type string"},
      {R"({"a":)", meta + "unexpected end of JSON input"},
      {R"({"a":1}x)", meta + "invalid character 'x' after top-level value"},
      {"\u00a0{}", meta + "invalid character '\u00c2' looking for beginning of value"},
      {"a: b: c", "yaml: mapping values are not allowed in this context"},
      {"a: [", "yaml: line 1: did not find expected node content"},
      {"\ta: b", "yaml: found character that cannot start any token"},
      {"a:\n  - b\n c: d\n", "yaml: line 2: did not find expected key"},
      {R"({"kind":"X","apiVersion":"a/b/c"})", "unexpected GroupVersion string: a/b/c"},
      {R"({"kind":"X"})",
       R"(no kind "X" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111")"},
      {R"({"apiVersion":"v2"})",
       R"(no kind "AdmissionReview" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111")"},
      {R"({"apiVersion":"a/"})", R"(Object 'apiVersion' is missing in '{"apiVersion":"a/"}')"},
      {R"({"kind":"Status","message":"hi"})",
       "converting (v1.Status) to (v1.AdmissionReview): unknown conversion"},
      {R"({"kind":"Status","apiVersion":"x/y","message":1})",
       "json: cannot unmarshal number into Go struct field Status.message of type string"},
      {R"({"kind":"ListOptions","apiVersion":"admission.k8s.io/v1"})",
       "converting (v1.ListOptions) to (v1.AdmissionReview): unknown conversion"},
      {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})",
       "converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"},
      {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":1})",
       "json: cannot unmarshal number into Go struct field AdmissionReview.response of type "
       "v1beta1.AdmissionResponse"},
  };
  for (const Row& row : rows) EXPECT_EQ(error(row.body), "failed to call webhook: " + row.error) << row.body;
  EXPECT_EQ(error(review("", "v1"), kOldValidating),
            "failed to call webhook: converting (v1.AdmissionReview) to (v1beta1.AdmissionReview): unknown "
            "conversion");
}

TEST_F(Answer, FieldOfAWrongType) {
  const std::string json = "failed to call webhook: json: cannot unmarshal ";
  const Row rows[] = {
      {R"("allowed":"true")", "string into Go struct field AdmissionResponse.response.allowed of type bool"},
      {R"("uid":7)", "number into Go struct field AdmissionResponse.response.uid of type types.UID"},
      {R"("patch":1)", "number into Go struct field AdmissionResponse.response.patch of type []uint8"},
      {R"("patch":[300])", "number 300 into Go struct field AdmissionResponse.response.patch of type uint8"},
      {R"("patchType":1)",
       "number into Go struct field AdmissionResponse.response.patchType of type v1.PatchType"},
      {R"("auditAnnotations":{"a":1})",
       "number into Go struct field AdmissionResponse.response.auditAnnotations of type string"},
      {R"("warnings":"x")",
       "string into Go struct field AdmissionResponse.response.warnings of type []string"},
      {R"("warnings":[1])", "number into Go struct field AdmissionResponse.response.warnings of type string"},
      {R"("status":1)", "number into Go struct field AdmissionResponse.response.status of type v1.Status"},
      {R"("status":{"code":2147483648})",
       "number 2147483648 into Go struct field Status.response.status.code of type int32"},
      {R"("status":{"code":1e3})",
       "number 1e3 into Go struct field Status.response.status.code of type int32"},
      {R"("status":{"details":{"retryAfterSeconds":"1"}})",
       "string into Go struct field StatusDetails.response.status.details.retryAfterSeconds of type int32"},
      {R"("status":{"details":{"causes":[{"reason":1}]}})",
       "number into Go struct field StatusCause.response.status.details.causes.reason of type v1.CauseType"},
      {R"("status":{"metadata":[]})",
       "array into Go struct field Status.response.status.metadata of type v1.ListMeta"},
  };
  for (const Row& row : rows) EXPECT_EQ(error(review("," + row.body)), json + row.error) << row.body;
  EXPECT_EQ(error(R"({"request":{"uid":1},"response":{}})"),
            json + "number into Go struct field AdmissionRequest.request.uid of type types.UID");
  EXPECT_EQ(error(review(R"(,"patch":"YWI")")),
            "failed to call webhook: illegal base64 data at input byte 0");
}

TEST_F(Answer, ChecksInOrder) {
  const std::string invalid = "received invalid webhook response: ";
  const std::string expected =
      invalid + "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ";
  for (const char* body :
       {"{}", "null", " ", R"({"apiVersion":"/"})", R"({"apiVersion":"admission.k8s.io/"})"})
    EXPECT_EQ(error(body), invalid + "webhook response was absent") << body;
  EXPECT_EQ(error(review(R"(,"uid":"other\n","patch":"e30=")")),
            invalid + R"(expected response.uid="u", got "other\n")");
  EXPECT_EQ(error(R"({"response":{"uid":"u","patch":"e30="}})"), expected + "/, Kind=");
  EXPECT_EQ(error(R"({"apiVersion":"admission.k8s.io/v1","Kind":"AdmissionReview","response":{"uid":"u"}})"),
            expected + "admission.k8s.io/v1, Kind=");
  EXPECT_EQ(error(R"({"apiVersion":"admission.k8s.io/","kind":"AdmissionReview","response":{"uid":"u"}})"),
            expected + "admission.k8s.io/, Kind=AdmissionReview");

  const std::string patch = R"(,"patch":"W10=")", type = R"(,"patchType":"JSONPatch")";
  EXPECT_EQ(error(review(patch + type)), invalid + "validating webhook may not return response.patch");
  EXPECT_EQ(error(review(type)), invalid + "validating webhook may not return response.patchType");
  EXPECT_EQ(error(review(patch), kMutating),
            invalid + "webhook returned response.patch but not response.patchType");
  EXPECT_EQ(error(review(type), kMutating),
            invalid + "webhook returned response.patchType but not response.patch");
  EXPECT_EQ(error(review(patch + R"(,"patchType":"")"), kMutating),
            invalid + R"(webhook returned invalid response.patchType of "")");
  EXPECT_EQ(response(review(patch + type), kMutating).patch, "[]");
}

TEST_F(Answer, OldVersionChecksNothingButTheResponse) {
  EXPECT_EQ(error("{}", kOldMutating), "received invalid webhook response: webhook response was absent");
  Response r = response(R"({"response":{"uid":"other","allowed":true,"patch":"W10="}})", kOldMutating);
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.patch, "[]");
  EXPECT_EQ(r.patch_type, "JSONPatch");
  r = response(review(R"(,"patch":"W10=","patchType":"Odd")", "v1beta1"), kOldValidating);
  EXPECT_EQ(r.error + std::string(r.patch), "");
  EXPECT_TRUE(r.allowed);
}

TEST_F(Answer, Fields) {
  for (const char* more :
       {R"(,"patch":null,"patchType":null,"auditAnnotations":null,"warnings":null,"status":null)",
        R"(,"patch":"","Allowed":false,"odd":{})", R"(,"allowed":false,"allowed":true)"}) {
    Response r = response(review(more), kMutating);
    EXPECT_EQ(r.error, "");
    EXPECT_TRUE(r.allowed) << more;
  }
  Response r =
      response(review(R"(,"warnings":["a","b"],"warnings":[null,"c","d"],"auditAnnotations":{"k":"1"},)"
                      R"("auditAnnotations":{"a":null,"k":"2"})"));
  EXPECT_THAT(r.warnings, ElementsAre("a", "c", "d"));  // Go decodes into the list that is there
  EXPECT_THAT(r.audit_annotations, ElementsAre(Pair("a", ""), Pair("k", "2")));
  r = response(review(R"(,"patch":"W10=","patchType":"a","patchType":"Something that is long enough")"),
               kMutating);
  EXPECT_EQ(r.patch_type, "Something that is long enough");
}

TEST_F(Answer, JsonWithAByteOrderMarkIsYaml) {
  EXPECT_TRUE(response("\ufeff" + review("")).allowed);
  EXPECT_TRUE(response("\u2003\n" + std::string("---\n") + review("")).error.size() > 0);
  EXPECT_FALSE(response("kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nresponse:\n  uid: u\n"
                        "  allowed: yes\n  allowed: no\n")
                   .allowed);
  EXPECT_EQ(error("response: {uid: [], allowed: x}"),  // keys are sorted before they are decoded
            "failed to call webhook: json: cannot unmarshal string into Go struct field "
            "AdmissionResponse.response.allowed of type bool");
}

TEST_F(Answer, Rejection) {
  EXPECT_EQ(denied("null"),
            R"({"code":400,"message":"admission webhook \"w\" denied the request without explanation",)"
            R"("metadata":{},"status":"Failure"})");
  EXPECT_EQ(
      denied(R"({"code":200,"status":"Success","message":"no","reason":"R"})"),
      R"({"code":400,"message":"admission webhook \"w\" denied the request: no","metadata":{},"reason":"R",)"
      R"("status":"Failure"})");
  EXPECT_EQ(
      denied(R"({"code":999,"reason":"R","status":"Odd","metadata":{"a":1,"continue":"c"},"details":{},)"
             R"("kind":"Q"})"),
      R"({"code":999,"details":{},"kind":"Q","message":"admission webhook \"w\" denied the request: R",)"
      R"("metadata":{"continue":"c"},"reason":"R","status":"Odd"})");
  EXPECT_EQ(
      denied(R"({"details":{"name":"a"}},"status":{"details":{"causes":[null,{"field":"f"}]}})"),
      R"({"code":400,"details":{"causes":[{},{"field":"f"}],"name":"a"},"message":"admission webhook \"w\" )"
      R"(denied the request without explanation","metadata":{},"status":"Failure"})");
}

TEST_F(Answer, StatusCodes) {
  const std::pair<int, const char*> rows[] = {
      {207, "the server responded with the status code 207 but did not return more information"},
      {301, "the server responded with the status code 301 but did not return more information"},
      {400, "the server rejected our request for an unknown reason"},
      {401, "the server has asked for the client to provide credentials"},
      {403, "said"},
      {404, "the server could not find the requested resource"},
      {405, "the server does not allow this method on the requested resource"},
      {406, "said"},
      {409, "the server reported a conflict"},
      {415, "said"},
      {418, "the server responded with the status code 418 but did not return more information"},
      {422, "the server rejected our request due to an error in our request"},
      {429, "the server has received too many requests and has asked us to try again later"},
      {500, R"(an error on the server ("said") has prevented the request from succeeding)"},
      {503, "the server is currently unable to handle the request"},
      {504,
       "the server was unable to return a response in the time allotted, but may still be processing the "
       "request"},
      {599, R"(an error on the server ("said") has prevented the request from succeeding)"},
  };
  for (auto [code, text] : rows) {
    EXPECT_EQ(refused(code, " said\n", "text/x"), std::string(kCallFailed) + text) << code;
    for (const char* type : {"text/x", "a/b"})  // a Status counts whatever its version and type
      EXPECT_EQ(
          refused(code, R"({"kind":"Status","apiVersion":"x/y","status":"Failure","message":"m"})", type),
          "failed to call webhook: m");
  }
  EXPECT_EQ(refused(403, "said", "a/b"), "failed to call webhook: unknown");
  EXPECT_EQ(refused(403, "said", ""), "failed to call webhook: said");
  EXPECT_EQ(refused(406, "said", "a/b"),
            "failed to call webhook: the server was unable to respond with a content type that the client "
            "supports");
  EXPECT_EQ(refused(403, std::string(3000, 'x'), "text/x"),
            "failed to call webhook: " + std::string(2048, 'x'));
  for (const char* body :
       {R"({"kind":"Status","message":"m"})", R"({"kind":"Status","status":"Failure","message":1})",
        R"({"status":"Failure","message":"m"})"})
    EXPECT_EQ(refused(404, body, "a/b"),
              "failed to call webhook: the server could not find the requested resource");
  EXPECT_EQ(refused(404, "kind: Status\nstatus: Failure\n", "a/b"), "failed to call webhook: ");
  EXPECT_TRUE(read_answer(arena_, {206, {}, review("")}, kValidating).allowed);
}

TEST_F(Answer, ContentTypes) {
  for (const char* type :
       {"a", "a/b", "TEXT/x;", "a/b;c=d", "a/b ; c = \"d;\\\"\"", "a/b;c=d;C=d; ", "a/b; c=\"\""})
    EXPECT_EQ(read_media_type(type).error, "") << type;
  EXPECT_EQ(read_media_type(" TEXT/X ;a=b").type, "text/x");
  const std::pair<const char*, const char*> rows[] = {
      {"/b", "no media type"},
      {";", "no media type"},
      {"a b", "expected slash after first token"},
      {"a/", "expected token after slash"},
      {"a/b c", "unexpected content after media subtype"},
      {"a/b;c", "invalid media parameter"},
      {"a/b;c=", "invalid media parameter"},
      {"a/b;c=d x", "invalid media parameter"},
      {"a/b;c=\"d", "invalid media parameter"},
      {"a/b;;c=d", "invalid media parameter"},
      {"a/b;c=d;c=e", "duplicate parameter name"},
  };
  for (auto [type, text] : rows) {
    EXPECT_EQ(read_media_type(type).error, std::string("mime: ") + text) << type;
    EXPECT_EQ(refused(500, "x", type),
              std::string("failed to call webhook: Internal error occurred: mime: ") + text);
  }
}

TEST_F(Answer, Patch) {
  auto error_of = [&](std::string_view patch) {
    Result<Document> read = read_patch(patch);
    return read.ok() ? "" : read.error().text;
  };
  const std::string undecodable = "received undecodable patch in webhook response: ";
  EXPECT_EQ(error_of("["), undecodable + "unexpected end of JSON input");
  EXPECT_EQ(error_of("x"), undecodable + "invalid character 'x' looking for beginning of value");
  EXPECT_EQ(error_of("{}"),
            undecodable + "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  EXPECT_EQ(error_of(R"([{},"x"])"),
            undecodable + "json: cannot unmarshal string into Go value of type jsonpatch.Operation");
  EXPECT_TRUE(read_patch("null")->items.empty());
  EXPECT_TRUE(read_patch("[null]")->items[0].is(Document::Kind::Object));
  EXPECT_EQ(read_patch(R"([{"op":"add","value":1e3}])")->items[0].find("value")->raw, "1e3");
  EXPECT_EQ(error_of("[1e400,]"), undecodable + "invalid character ']' looking for beginning of value");
  EXPECT_EQ(unsupported_patch_type("a\n"), R"(unsupported patch type "a\n")");
}

// As the API server does, which reads numbers where a field takes them.
TEST_F(Answer, NumbersBeyondDouble) {
  EXPECT_TRUE(response(review(R"(},"x":{"y":[1e400])")).allowed);
  EXPECT_TRUE(response(review(R"(},"request":{"object":{"x":1e400})")).allowed);
  EXPECT_EQ(error(review(R"(,"uid":"u","x":-1e400},"y":{"x":1e400)")), "");
  EXPECT_EQ(error(review(R"(},"x":{"y":1e400,)")),
            "failed to call webhook: couldn't get version/kind; json parse error: invalid character '}' "
            "looking for "
            "beginning of object key string");
  EXPECT_EQ(error(review(R"(,"allowed":false,"status":{"code":1e400})")),
            "failed to call webhook: json: cannot unmarshal number 1e400 into Go struct field "
            "Status.response.status.code of "
            "type int32");
  EXPECT_EQ(error(review(R"(,"warnings":[1e400])")),
            "failed to call webhook: json: cannot unmarshal number into Go struct field "
            "AdmissionResponse.response.warnings "
            "of type string");
}

TEST_F(Answer, HostileBodies) {
  EXPECT_THAT(error(R"({"a":)" + std::string(20000, '[')), testing::HasSubstr("exceeded max depth"));
  EXPECT_THAT(error(std::string(20000, '[')), StartsWith("failed to call webhook: yaml: exceeded max depth"));
  EXPECT_TRUE(response(review(R"(,"odd":")" + std::string(1 << 22, 'x') + "\"")).allowed);
  EXPECT_THAT(error("k8s\0abc"), StartsWith("failed to call webhook: "));
}

}  // namespace
}  // namespace portcullis::chain
