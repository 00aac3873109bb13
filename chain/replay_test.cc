#include "chain/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/answer.h"
#include "chain/rest.h"

namespace portcullis::chain {
namespace {

using ::testing::ElementsAre;

class Replaying : public ::testing::Test {
 protected:
  // What the API server says of written answers; "allowed" and "denied" if it can use them.
  std::string outcome(std::string text, std::string_view version = "v1", bool of_all = false) {
    text_ = std::move(text);
    document_ = *read_document(text_);
    auto answers = read_answers(document_);
    if (!answers.ok()) return answers.error().text;
    Replay replay(*answers, "u", of_all);
    const std::string review = R"({"apiVersion":"admission.k8s.io/)" + std::string(version) + "\"}";
    const HttpAnswer answer = call(replay, "https://h/p", review, 2);
    sent_.clear();
    for (const Replay::Sent& s : replay.sent()) sent_.push_back(s.path + (s.review.empty() ? "" : " review"));
    const Response response = read_answer(arena_, answer, {"u", version == "v1", false});
    constexpr std::string_view kFrame = "failed to call webhook: ";
    std::string error = response.error;
    if (error.starts_with(kFrame)) error.erase(0, kFrame.size());
    return error.empty() ? (response.allowed ? "allowed" : "denied") : error;
  }

  Arena arena_;
  std::string text_;
  Document document_;
  std::vector<std::string> sent_;
};

TEST_F(Replaying, DefaultAllowsInTheVersionOfTheReview) {
  for (const char* text : {"{}", "null", "[]", R"({"code":0,"headers":null,"text":null,"body":null})"}) {
    EXPECT_EQ(outcome(text), "allowed") << text;
    EXPECT_EQ(outcome(text, "v1beta1"), "allowed") << text;
  }
  EXPECT_THAT(sent_, ElementsAre("/p?timeout=2s review"));
}

TEST_F(Replaying, Bodies) {
  const std::string review =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"$UID","allowed":false}})";
  EXPECT_EQ(outcome(R"({"body":)" + review + "}"), "denied");
  EXPECT_EQ(outcome(R"({"body":"x","code":403})"), "unknown");  // JSON, so no text
  EXPECT_EQ(outcome(R"({"text":" x ","code":403})"), "x");
  EXPECT_EQ(outcome(R"({"text":"x","code":403,"headers":{"content-type":"a/b"}})"), "unknown");
  EXPECT_EQ(outcome(R"({"text":"x","code":204})"),
            "0-length response with status code: 204 and content type: text/plain; charset=utf-8");
  EXPECT_EQ(outcome(R"({"text":"x","code":304,"headers":{"Content-Type":"/a"}})"),
            "the server responded with the status code 304 but did not return more information");
  EXPECT_EQ(outcome(R"({"body":{},"bodyError":"unexpected EOF"})"),
            "unexpected error when reading response body. Please retry. Original error: unexpected EOF");
}

TEST_F(Replaying, SuccessiveCalls) {
  EXPECT_EQ(outcome(R"([{"code":503,"headers":{"Retry-After":"1"}},{}])"), "allowed");
  EXPECT_EQ(sent_.size(), 2);
  EXPECT_EQ(outcome(R"([{"code":302,"headers":{"Location":"/q?r"}},{"text":"x","code":403}])"), "x");
  EXPECT_THAT(sent_, ElementsAre("/p?timeout=2s review", "/q?r"));
  // An answer to a call without a review has no uid and no version.
  EXPECT_EQ(outcome(R"([{"code":302,"headers":{"Location":"https://i"}},{}])"),
            R"(received invalid webhook response: expected response.uid="u", got "")");
  EXPECT_THAT(sent_, ElementsAre("/p?timeout=2s review", "/"));
  EXPECT_EQ(outcome(R"([{"code":307,"headers":{"Location":"http://h/p"}},{}])"),
            "the server rejected our request for an unknown reason");
  EXPECT_EQ(sent_.size(), 1);
  // Another server, whose answer is there or not.
  EXPECT_EQ(outcome(R"([{"code":307,"headers":{"Location":"http://h/q"}},{}])", "v1", true), "allowed");
  EXPECT_THAT(sent_, ElementsAre("/p?timeout=2s review", "/q review"));
  EXPECT_EQ(outcome(R"({"code":307,"headers":{"Location":"http://h/q"}})", "v1", true),
            "the server rejected our request for an unknown reason");
}

TEST_F(Replaying, Failures) {
  EXPECT_EQ(outcome(R"({"refuse":true})"),
            R"(Post "https://h/p?timeout=2s": dial tcp webhook.invalid:443: connect: connection refused)");
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(outcome(R"({"delayMs":1999})"), "allowed");
  EXPECT_EQ(outcome(R"({"delayMs":2000})"), R"(Post "https://h/p?timeout=2s": context deadline exceeded)");
  EXPECT_EQ(sent_.size(), 1);
  EXPECT_EQ(outcome(R"({"error":"EOF"})"), R"(Post "https://h/p?timeout=2s": EOF)");
}

TEST_F(Replaying, UnreadableAnswers) {
  EXPECT_EQ(outcome("1"), "an answer is no object");
  EXPECT_EQ(outcome(R"({"code":"200"})"), "code is no integer");
  EXPECT_EQ(outcome(R"({"code":2.5})"), "code is no integer");
  EXPECT_EQ(outcome(R"([{"code":199}])"), "code 199 is none of an HTTP answer");
  EXPECT_EQ(outcome(R"({"text":1})"), "text is no text");
  EXPECT_EQ(outcome(R"({"headers":[]})"), "headers is no object");
  EXPECT_EQ(outcome(R"({"headers":{"a":1}})"), "a header is no text");
  EXPECT_EQ(outcome(R"({"refuse":1})"), "refuse is no boolean");
}

TEST_F(Replaying, WritesWhatItReads) {
  auto rewritten = [&](const HttpAnswer& answer) {
    std::string out;
    write_answer(out, answer, "u-1");
    return out;
  };
  EXPECT_EQ(
      rewritten({403, {{"retry-after", "1"}, {"content-type", "a/b"}, {"Date", "x"}}, "u-1 <\"é\">", {}, {}}),
      R"({"code":403,"headers":{"Content-Type":"a/b","Retry-After":"1"},"text":"$UID <\"é\">"})");
  EXPECT_EQ(outcome(rewritten({0, {}, {}, "EOF", {}})), R"(Post "https://h/p?timeout=2s": EOF)");
  EXPECT_EQ(outcome(rewritten({403, {}, "x", {}, {}})), "x");  // without a content type, as it came
  EXPECT_EQ(outcome(rewritten({200, {}, "{", {}, "unexpected EOF"})),
            "unexpected error when reading response body. Please retry. Original error: unexpected EOF");
}

}  // namespace
}  // namespace portcullis::chain
