// What a watch asks for after each answer, without a network and without waiting.
#include "server/cluster_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace portcullis::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

class Watched : public testing::Test {
 protected:
  Watched() {
    context_.tell = [this](WatchContext::News news, const WatchedKind&, const std::string& text) {
      (news == WatchContext::News::Failure ? failures_ : news_).push_back(text);
    };
  }
  // The target of the request that is due now.
  std::string ask() {
    auto found = watch_.next(now_);
    return found ? found->target : "";
  }
  // The same, as soon as it is due.
  std::string ask_later() {
    if (auto due = watch_.due()) now_ = std::max(now_, *due);
    return ask();
  }
  void answer(int status, std::string_view body, std::string error = "") {
    watch_.data(status, "", now_);
    const bool whole = watch_.data(status, body, now_);
    watch_.ended(status, whole ? error : "the rest is not wanted", seconds(0), now_);
  }
  static std::string item(std::string_view name) {
    return R"({"metadata": {"name": ")" + std::string(name) + R"(", "resourceVersion": "3"}})";
  }
  static std::string page(std::string_view items, std::string_view next = "") {
    return R"({"kind": "NamespaceList", "apiVersion": "v1", "metadata": {"resourceVersion": "7", "continue": ")" +
           std::string(next) + R"("}, "items": [)" + std::string(items) + "]}";
  }
  static std::string event(std::string_view type, std::string_view name, int version) {
    return R"({"type": ")" + std::string(type) + R"(", "object": {"metadata": {"name": ")" +
           std::string(name) + R"(", "resourceVersion": ")" + std::to_string(version) + "\"}}}\n";
  }
  void list(std::string_view items) {
    ask_later();
    answer(200, page(items));
  }

  std::vector<std::string> failures_, news_;
  WatchContext context_;
  KindWatch::Time now_{seconds(1000)};
  KindWatch watch_{{.kind = {"v1", "Namespace", {}}, .group = "", .versions = {"v1"}, .plural = "namespaces"},
                   context_};
};

TEST_F(Watched, ListsPageByPageThenWatches) {
  EXPECT_EQ(ask(), "/api/v1/namespaces?limit=500");
  EXPECT_EQ(ask(), "");
  answer(200, page(item("a"), "c/=="));
  EXPECT_FALSE(watch_.known());
  EXPECT_TRUE(watch_.objects().empty());
  EXPECT_EQ(ask(), "/api/v1/namespaces?limit=500&continue=c%2F%3D%3D");
  answer(200, page(item("b")));
  EXPECT_TRUE(watch_.known());
  EXPECT_EQ(watch_.objects().size(), 2);
  EXPECT_THAT(
      ask(),
      StartsWith("/api/v1/namespaces?watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds="));
}

TEST_F(Watched, FollowsEvents) {
  list(item("a"));
  ask();
  const uint64_t before = watch_.changes();
  watch_.data(200, event("ADDED", "b", 8), now_);
  watch_.data(200, event("DELETED", "a", 9), now_);
  EXPECT_EQ(watch_.objects().size(), 1);
  EXPECT_TRUE(watch_.objects().contains("/b"));
  EXPECT_EQ(watch_.changes(), before + 2);
  watch_.data(200, event("BOOKMARK", "", 20), now_);
  now_ += seconds(300);
  watch_.ended(200, "", seconds(0), now_);
  EXPECT_THAT(ask(), HasSubstr("resourceVersion=20&"));
  EXPECT_TRUE(failures_.empty());
}

TEST_F(Watched, IsCurrentUntilTheServerCloses) {
  list(item("a"));
  ask();
  watch_.data(200, "", now_);
  const auto opened = now_;
  now_ += seconds(50);
  watch_.closed(now_);
  now_ += seconds(1);
  watch_.ended(200, "Recv failure: Connection reset by peer", seconds(0), now_);
  EXPECT_EQ(watch_.since(), opened + seconds(50));
  // Attempts that do not get through say nothing newer.
  ask_later();
  watch_.closed(now_);
  watch_.ended(0, "Empty reply from server", seconds(0), now_);
  EXPECT_EQ(watch_.since(), opened + seconds(50));
}

TEST_F(Watched, ComesLaterEachTime) {
  milliseconds last{0};
  for (int i = 0; i < 5; i++) {
    ask_later();
    watch_.ended(0, "Connection refused", seconds(0), now_);
    const auto delay = std::chrono::duration_cast<milliseconds>(*watch_.due() - now_);
    EXPECT_GE(delay, context_.first_delay * (1 << i));
    EXPECT_LE(delay, context_.first_delay * (1 << i) * 2);
    EXPECT_GT(delay, last / 4);
    last = delay;
  }
  EXPECT_EQ(failures_.size(), 1);  // the same text is told once
  EXPECT_EQ(watch_.failure(), "Connection refused");
  list(item("a"));
  EXPECT_EQ(watch_.failure(), "");
  EXPECT_EQ(news_, std::vector<std::string>{"the cluster answers again"});
}

TEST_F(Watched, WaitsAsTheServerSays) {
  ask();
  watch_.data(429, "{}", now_);
  watch_.ended(429, "", seconds(17), now_);
  EXPECT_GE(*watch_.due(), now_ + seconds(17));
}

TEST_F(Watched, ListsAnewWhatTheServerHasForgotten) {
  list(item("a"));
  now_ += seconds(60);
  ask();
  answer(200, R"({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}})"
              "\n");
  EXPECT_EQ(ask(), "/api/v1/namespaces?limit=500");  // at once
  EXPECT_EQ(watch_.objects().size(), 1);
  answer(200, page(item("b")));
  EXPECT_TRUE(watch_.objects().contains("/b"));
  EXPECT_EQ(watch_.objects().size(), 1);
  ask();
  answer(410, R"({"kind": "Status", "message": "too old"})");
  EXPECT_EQ(ask(), "");  // again so soon: later
  EXPECT_EQ(watch_.failure(), "410 too old");
}

TEST_F(Watched, KeepsWhatItHasWhenAnAnswerIsBroken) {
  list(item("a"));
  for (std::string_view broken : {"x\n", R"({"type": "ADDED"})"
                                         "\n"}) {
    ask_later();
    answer(200, broken);
    EXPECT_EQ(watch_.objects().size(), 1);
    EXPECT_EQ(ask(), "");
    EXPECT_EQ(ask_later(), "/api/v1/namespaces?limit=500");
    answer(200, page(item("a")));
  }
  EXPECT_EQ(failures_.size(), 2);
}

TEST_F(Watched, AsksForLessIfAPageIsTooLarge) {
  ask();
  answer(200, std::string(kMaxPage + 1, ' '));
  EXPECT_EQ(ask(), "/api/v1/namespaces?limit=125");
}

TEST_F(Watched, HasALimit) {
  context_.most = 200;
  list(item("a"));
  EXPECT_GT(context_.used, 0);
  ask();
  for (int i = 0; i < 5; i++) watch_.data(200, event("ADDED", "b" + std::to_string(i), 8), now_);
  watch_.ended(200, "the rest is not wanted", seconds(0), now_);
  EXPECT_THAT(watch_.failure(), HasSubstr("larger than 200 bytes"));
  EXPECT_LE(context_.used, 200);
}

TEST_F(Watched, TakesOlderVersionsThenKnowsThatThereAreNone) {
  KindWatch old({.kind = {"g/v1", "Policy", {}},
                 .group = "g",
                 .versions = {"v1", "v1beta1"},
                 .plural = "policies",
                 .may_be_absent = true},
                context_);
  for (std::string_view path : {"/apis/g/v1/policies?limit=500", "/apis/g/v1beta1/policies?limit=500"}) {
    EXPECT_EQ(old.next(now_)->target, path);
    old.data(404, "{}", now_);
    old.ended(404, "", seconds(0), now_);
  }
  EXPECT_TRUE(old.known());
  EXPECT_EQ(old.unavailable(), "404 {}");
  EXPECT_GE(*old.due(), now_ + seconds(30));
}

TEST_F(Watched, LearnsOnlyWhatTheWatchHasNotSeen) {
  list(item("a"));
  watch_.learn({"/seen", "7", "{}"});
  EXPECT_EQ(watch_.objects().size(), 1);
  watch_.learn({"/new", "10", "{}"});
  EXPECT_EQ(watch_.objects().size(), 2);
}

}  // namespace
}  // namespace portcullis::server
