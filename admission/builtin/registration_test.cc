#include "admission/builtin/registration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace portcullis {
namespace {

using ::testing::ElementsAre;

class Registration : public ::testing::Test {
 protected:
  Decoded decoded(std::string_view more, std::string_view version = "v1",
                  std::string_view kind = "ValidatingAdmissionPolicy") {
    text_ = R"({"apiVersion":"admissionregistration.k8s.io/)" + std::string(version) + R"(","kind":")" +
            std::string(kind) + "\"," + std::string(more) + "}";
    document_ = *read_document(text_);
    return decode_object(arena_, document_);
  }
  std::vector<std::string> strict(std::string_view more) {
    std::vector<std::string> out;
    for (const builtin::UnknownField& f : decoded(more).strict) out.push_back(f.text());
    return out;
  }

  Arena arena_;
  std::string text_;
  Document document_;
};

TEST_F(Registration, UnknownAndDuplicateFieldsAreToldOnceAndInOrder) {
  EXPECT_THAT(strict(R"("x":1,"spec":{"failurePolicy":"Fail","y":1,"failurePolicy":"Ignore","y":2},)"
                     R"("metadata":{"labels":{"a":"b","a":"c"}})"),
              ElementsAre("unknown field \"x\"", "unknown field \"spec.y\"",
                          "duplicate field \"spec.failurePolicy\"", "duplicate field \"metadata.labels.a\""));
  std::string many;
  for (int i = 0; i < 200; i++) many += "\"x" + std::to_string(i) + "\":1,";
  EXPECT_EQ(strict(many + "\"spec\":{}").size(), kMaxStrictErrors);
}

TEST_F(Registration, AFieldThatIsGivenTwiceIsMergedAsInGo) {
  Decoded d = decoded(R"("spec":{"validations":[{"expression":"a","message":"m"}]},)"
                      R"("spec":{"validations":[{"expression":"b"}]})");
  Data validation = d.data["spec"]["validations"].items[0];
  EXPECT_EQ(validation.field_text("expression"), "b");
  EXPECT_EQ(validation.field_text("message"), "m");
}

TEST_F(Registration, DefaultsAreThoseOfTheVersionThatIsWritten) {
  std::string_view hook = R"("webhooks":[{"name":"w"}])";
  Data v1 = decoded(hook, "v1", "ValidatingWebhookConfiguration").data["webhooks"].items[0];
  EXPECT_EQ(v1.field_text("failurePolicy"), "Fail");
  EXPECT_FALSE(v1["sideEffects"].set);
  Decoded old = decoded(hook, "v1beta1", "ValidatingWebhookConfiguration");
  EXPECT_EQ(old.data.field_text("apiVersion"), "admissionregistration.k8s.io/v1");
  EXPECT_EQ(old.data["webhooks"].items[0].field_text("failurePolicy"), "Ignore");
  EXPECT_EQ(old.data["webhooks"].items[0].field_text("sideEffects"), "Unknown");
}

TEST_F(Registration, TheFirstValueOfAWrongTypeIsTold) {
  Decoded d = decoded(R"("spec":{"validations":[{"expression":"a"},{"message":1}],"failurePolicy":2})");
  EXPECT_EQ(d.error,
            "json: cannot unmarshal number into Go struct field Validation.spec.validations.message of type "
            "string");
  EXPECT_EQ(d.error_place, "spec.validations[1].message");
}

TEST_F(Registration, AKindThatIsNoneOfTheSixIsTold) {
  EXPECT_EQ(decoded("\"x\":1", "v1", "Pod").error,
            "no kind \"Pod\" is registered for version \"admissionregistration.k8s.io/v1\" in scheme "
            "\"pkg/runtime/scheme.go:111\"");
  EXPECT_EQ(decoded("\"items\":[]", "v1", "ValidatingAdmissionPolicyList").unsupported,
            "admissionregistration.k8s.io/v1, Kind=ValidatingAdmissionPolicyList is not a kind that can be "
            "validated");
  EXPECT_NE(decoded("\"x\":1", "v1alpha1", "ValidatingWebhookConfiguration").error, "");
}

TEST_F(Registration, EqualityKnowsWhatGoDoes) {
  Arena arena;
  auto spec = [&](std::string_view text) { return decoded("\"spec\":" + std::string(text)).data["spec"]; };
  EXPECT_TRUE(semantic_equal(spec(R"({"validations":[]})"), spec("{}")));
  EXPECT_FALSE(deep_equal(spec(R"({"validations":[]})"), spec("{}")));
  EXPECT_TRUE(deep_equal(spec(R"({"validations":[{"expression":"a","message":""}]})"),
                         spec(R"({"validations":[{"expression":"a"}]})")));
  EXPECT_FALSE(semantic_equal(spec(R"({"validations":[{"expression":"a","reason":""}]})"),
                              spec(R"({"validations":[{"expression":"a"}]})")));
  auto created = [&](std::string_view time) {
    return decoded("\"metadata\":{\"creationTimestamp\":" + std::string(time) + "}").data["metadata"];
  };
  EXPECT_TRUE(deep_equal(created("\"0001-01-01T00:00:00Z\""), created("null")));
  EXPECT_TRUE(deep_equal(created("\"2020-01-01T01:00:00+01:00\""), created("\"2020-01-01T00:00:00Z\"")));
}

}  // namespace
}  // namespace portcullis
