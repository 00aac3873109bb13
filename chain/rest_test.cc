#include "chain/rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/answer.h"

namespace portcullis::chain {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kSecond = 1'000'000'000;

// Answers from a list, of which the last one stays, in a time of its own.
class Recorded : public Asker {
 public:
  explicit Recorded(std::vector<HttpAnswer> answers, int64_t delay = 0, bool punctual = true)
      : answers_(std::move(answers)), delay_(delay), punctual_(punctual) {}

  int64_t now() override { return time; }
  void wait_until(int64_t until) override { time = std::max(time, until); }
  HttpAnswer send(const HttpRequest& request, int64_t deadline) override {
    sent.push_back((request.post ? "POST " : "GET ") + std::string(request.url) + " " +
                   std::string(request.body));
    time += delay_;
    if (punctual_) time = std::min(deadline, time);
    if (time == deadline) return {0, {}, {}, std::string(kDeadlineExceeded), {}};
    return answers_[std::min(sent.size(), answers_.size()) - 1];
  }

  std::vector<std::string> sent;
  int64_t time = 0;

 private:
  std::vector<HttpAnswer> answers_;
  int64_t delay_;
  bool punctual_;  // whether it gives up at the deadline
};

const HttpAnswer kEnd{418, {}, "end", {}, {}};

HttpAnswer repeat(std::string after, int code = 503) {
  return {code, {{"retry-after", std::move(after)}}, {}, {}, {}};
}
HttpAnswer moved(std::string to, int code = 307) { return {code, {{"Location", std::move(to)}}, {}, {}, {}}; }

// The code of the last answer, or the error.
std::string outcome(Recorded& asker, int timeout = 10, std::string_view url = "https://h/p") {
  HttpAnswer answer = call(asker, url, "{}", timeout);
  return answer.error.empty() ? std::to_string(answer.code) : answer.error;
}
std::string outcome(std::vector<HttpAnswer> answers, int timeout = 10) {
  Recorded asker(std::move(answers));
  return outcome(asker, timeout);
}

TEST(Rest, TimeoutIsInTheQuery) {
  for (auto [seconds, text] : {std::pair(1, "1s"), {30, "30s"}, {90, "1m30s"}}) {
    Recorded asker({kEnd});
    outcome(asker, seconds);
    EXPECT_THAT(asker.sent, ElementsAre("POST https://h/p?timeout=" + std::string(text) + " {}"));
  }
}

TEST(Rest, RepeatsWhenAsked) {
  for (const char* after : {"0", "+0", "-5", "00", " 1\t", "9300000000"})
    EXPECT_EQ(outcome({repeat(after), kEnd}), "418") << after;
  for (const char* after : {"", "x", "1.5", "0x0", "1_0", "--0", "+-0", "99999999999999999999"})
    EXPECT_EQ(outcome({repeat(after), kEnd}), "503") << after;
  EXPECT_EQ(outcome({repeat("0", 429), kEnd}), "418");
  EXPECT_EQ(outcome({repeat("0", 599), kEnd}), "418");
  EXPECT_EQ(outcome({repeat("0", 408), kEnd}), "408");

  Recorded forever({repeat("0")});
  EXPECT_EQ(outcome(forever), "503");
  EXPECT_EQ(forever.sent.size(), kMaxRepetitions + 1);
}

TEST(Rest, WaitsWithinTheTimeout) {
  Recorded patient({repeat("3"), repeat("6"), kEnd});
  EXPECT_EQ(outcome(patient), "418");
  EXPECT_EQ(patient.time, 9 * kSecond);
  Recorded late({repeat("3"), repeat("8"), kEnd});
  EXPECT_EQ(outcome(late), R"(Post "https://h/p?timeout=10s": context deadline exceeded)");
  EXPECT_EQ(late.time, 10 * kSecond);
  EXPECT_EQ(late.sent.size(), 2);
  Recorded slow({kEnd}, 11 * kSecond);
  EXPECT_EQ(outcome(slow), R"(Post "https://h/p?timeout=10s": context deadline exceeded)");
  EXPECT_EQ(slow.time, 10 * kSecond);
}

TEST(Rest, WhatComesTooLateIsNoAnswer) {
  for (const HttpAnswer& answer : {kEnd, repeat("0"), moved("/q")}) {
    Recorded late({answer}, 11 * kSecond, false);
    EXPECT_EQ(outcome(late), R"(Post "https://h/p?timeout=10s": context deadline exceeded)");
    EXPECT_EQ(late.sent.size(), 1);
  }
  Recorded cut({{200, {}, "", {}, std::string(kDeadlineExceeded)}}, 11 * kSecond, false);
  EXPECT_EQ(call(cut, "https://h/p", "{}", 10).body_error, kDeadlineExceeded);
  Recorded in_time({kEnd}, 9 * kSecond, false);
  EXPECT_EQ(outcome(in_time), "418");
}

TEST(Rest, FollowsRedirections) {
  Recorded kept({moved("/q"), moved("r?x=y", 308), kEnd});
  EXPECT_EQ(outcome(kept), "418");
  EXPECT_THAT(kept.sent, ElementsAre("POST https://h/p?timeout=10s {}", "POST https://h/q {}",
                                     "POST https://h/r?x=y {}"));
  Recorded dropped({moved("//i", 302), moved("/q"), kEnd});  // and the body never comes back
  outcome(dropped);
  EXPECT_THAT(dropped.sent,
              ElementsAre("POST https://h/p?timeout=10s {}", "GET https://i ", "GET https://i/q "));
  Recorded repeated({moved("/q"), repeat("0"), kEnd});
  EXPECT_EQ(outcome(repeated), "418");
  EXPECT_EQ(repeated.sent[2], "POST https://h/p?timeout=10s {}");
  for (int code : {300, 304, 305}) EXPECT_EQ(outcome({moved("/q", code)}), std::to_string(code));
  EXPECT_EQ(outcome({moved(" ", 301)}), "301");
}

TEST(Rest, RedirectionsThatFail) {
  EXPECT_EQ(
      outcome({moved("%zz")}),
      R"(Post "https://h/p?timeout=10s": failed to parse Location header "%zz": parse "%zz": invalid URL )"
      R"(escape "%zz")");
  EXPECT_EQ(outcome({moved("ftp://i/x")}), R"(Post "ftp://i/x": unsupported protocol scheme "ftp")");
  EXPECT_EQ(outcome({moved("https:///x")}), R"(Post "https:///x": http: no Host in request URL)");
  EXPECT_EQ(outcome({moved("/q", 302), {0, {}, {}, "EOF", {}}}), R"(Post "https://h/q": EOF)");
  Recorded forever({moved("q")});
  EXPECT_EQ(outcome(forever), R"(Post "q": stopped after 10 redirects)");
  EXPECT_EQ(forever.sent.size(), kMaxRedirections);
}

TEST(Rest, Urls) {
  const std::pair<const char*, const char*> rows[] = {
      {"https://H", "https://H/"},
      {"https://h:1/a/b/?x=y#z", "https://h:1/a/b"},
      {"https://h//a/./b/../../..//c", "https://h/c"},
      {"https://h/a%2fb/../c", "https://h/a/c"},
      {"https://h/é x%25", "https://h/%C3%A9%20x%25"},
      {"https://[::1]:443/", "https://[::1]:443/"},
  };
  for (auto [configured, url] : rows) EXPECT_EQ(*call_url(configured), url);
  EXPECT_EQ(call_url("https://a%41/").error().text,
            R"(Unparsable URL: parse "https://a%41/": invalid URL escape "%41")");
  EXPECT_EQ(*call_url("s", "n", 443, "a%2f/../b?"), "https://s.n.svc:443/b%3F");
  EXPECT_EQ(*call_url("s", "n", 8443, ""), "https://s.n.svc:8443/");
  EXPECT_EQ(*call_url("s", "a/b", 443, "c"), "https://s.a/b.svc:443/c");
  EXPECT_EQ(call_url("s", "a:b", 443, "").error().text,
            R"(host must be a URL or a host:port pair: "https://[s.a:b.svc]:443")");
  EXPECT_EQ(call_url("s", "a%b", 443, "").error().text,
            R"(parse "https://https://s.a%b.svc:443": invalid URL escape "%b.")");
}

TEST(Rest, ErrorsOfTheTransportAreAnswers) {
  Arena arena;
  const Question question{"u", true, false};
  EXPECT_EQ(read_answer(arena, {0, {}, {}, "Post \"u\": EOF", {}}, question).error,
            "failed to call webhook: Post \"u\": EOF");
  EXPECT_EQ(
      read_answer(arena, {200, {}, "{", {}, "unexpected EOF"}, question).error,
      "failed to call webhook: unexpected error when reading response body. Please retry. Original error: "
      "unexpected EOF");
}

}  // namespace
}  // namespace portcullis::chain
